import { asError } from '../kernel/errors'

type Bound = { invoke?: (...given: unknown[]) => Promise<unknown>; nodes?: unknown }

const guarded = new WeakSet<object>()

/**
 * Lets the nodes of a graph and of its subgraphs throw errors only. The runtime writes a property on whatever is thrown, so that
 * a text or null became a TypeError of its own.
 */
export function guardNodes(graph: { nodes?: unknown }): void {
  for (const { bound } of Object.values((graph.nodes ?? {}) as Record<string, { bound?: Bound }>)) {
    if (typeof bound?.invoke !== 'function' || guarded.has(bound)) continue
    guarded.add(bound)
    guardNodes(bound)
    const invoke = bound.invoke
    bound.invoke = async function (...given) {
      try {
        return await invoke.apply(this, given)
      } catch (thrown) {
        throw asError(thrown)
      }
    }
  }
}
