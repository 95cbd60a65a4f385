import type { StartOptions } from '@/components/runs/start/start-options'
import { type BreakpointSide, hasNode, withNode } from '@/components/runs/view/breakpoints'

type Chat = { options: StartOptions; change: (part: Partial<StartOptions>) => void }

const KEYS = { before: 'interruptBefore', after: 'interruptAfter' } as const

/** The nodes at which the next run stops, set on the picture of the graph. The fields under Advanced show the same. */
export function breakpointsOf({ options, change }: Chat) {
  const { more } = options
  return {
    has: (node: string, side: BreakpointSide) => hasNode(more[KEYS[side]], node),
    toggle: (node: string, side: BreakpointSide, all: readonly string[]) =>
      change({ more: { ...more, [KEYS[side]]: withNode(more[KEYS[side]], node, all) } }),
  }
}
