import { type Servers, StartError } from '../compute'

const OK_TIMEOUT_MS = 10_000
const GRAPH_TIMEOUT_MS = 30_000

/** The last check before traffic: the agent server responds, and every graph can be drawn. Rejects with a StartError. */
export async function checkHealth(child: Servers, graphs: readonly string[], signal: AbortSignal): Promise<void> {
  await ask(child, '/ok', 'The agent server', OK_TIMEOUT_MS, signal)
  for (const graph of graphs)
    await ask(child, `/assistants/${encodeURIComponent(graph)}/graph`, `Graph "${graph}"`, GRAPH_TIMEOUT_MS, signal)
}

async function ask(child: Servers, path: string, what: string, timeoutMs: number, signal: AbortSignal) {
  const limit = AbortSignal.timeout(timeoutMs)
  let result: { status: number; text: string }
  try {
    const response = await fetch(`http://${child.host}:${child.port}${path}`, {
      headers: { 'x-pilothouse-child': child.secret, 'x-pilothouse-operator': 'platform' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    })
    result = { status: response.status, text: await response.text() }
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) throw new StartError(`${what} did not respond GET ${path} within ${timeoutMs / 1000} s.`)
    if (!child.isRunning())
      throw new StartError(`The agent server ended during its health check: ${await child.ended}.`)
    throw new StartError(`${what} did not respond GET ${path}: ${(error as Error).message}`)
  }
  if (result.status !== 200)
    throw new StartError(`${what} failed its check: GET ${path} gave ${result.status} ${result.text.slice(0, 1000)}`)
}
