import { isRecord } from '@/lib/json/guards'

type Request = Record<string, unknown>

/**
 * Fields that a continuing run takes over from the previous one: how it is streamed and configured, never its input.
 */
const KEPT = ['context', 'interrupt_before', 'interrupt_after', 'durability', 'stream_mode', 'stream_subgraphs']
/** Of its configuration. The rest has echoed headers, and places in the thread's history. */
const KEPT_CONFIG = ['tags', 'recursion_limit']

/** The part of a request that says how a run is streamed and configured. */
export function kept(request: Request): Request {
  const body: Request = {}
  for (const key of KEPT) if (request[key] !== undefined && request[key] !== null) body[key] = request[key]
  if (isRecord(request.config)) {
    const { config } = request
    const entries = KEPT_CONFIG.filter((key) => config[key] !== undefined && config[key] !== null)
    if (entries.length > 0) body.config = Object.fromEntries(entries.map((key) => [key, config[key]]))
  }
  return body
}
