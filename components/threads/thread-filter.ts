import { findJsonProblem } from '@/components/shared/json-problem'
import { parseJson } from '@/lib/contracts/json'
import { THREAD_STATUSES } from '@/lib/contracts/state'

export const PAGE_SIZE = 25
/** What a list shows: never the values, which may be megabytes each. */
export const LIGHT_COLUMNS = ['thread_id', 'status', 'created_at', 'updated_at', 'metadata']

type Status = (typeof THREAD_STATUSES)[number]
export type ThreadSearch = { ids?: string[]; metadata?: Record<string, unknown>; problem?: string }

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** What a person searches for: a thread's id, metadata as JSON, or `key:value`, which means the same. */
export function readThreadSearch(text: string): ThreadSearch {
  const given = text.trim()
  if (given === '') return {}
  if (UUID.test(given)) return { ids: [given.toLowerCase()] }
  if (given.startsWith('{')) {
    const problem = findJsonProblem(given)
    if (problem) return { problem: `Line ${problem.line}, column ${problem.column}: ${problem.message}` }
    return { metadata: parseJson(given) as Record<string, unknown> } // a JSON text that begins with a brace is an object
  }
  const pair = /^([^\s:=]+)\s*[:=]\s*(.+)$/.exec(given)
  if (pair?.[1] && pair[2]) return { metadata: { [pair[1]]: metadataValue(pair[2].trim()) } }
  return { problem: 'Search by a whole thread id, by key:value of its metadata, or by metadata as JSON.' }
}

/** `true`, `3` and the like are meant as what they look like; the rest is text. */
function metadataValue(text: string): unknown {
  return /^(true|false|null|-?\d{1,15}(\.\d+)?|"(\\.|[^"\\])*")$/.test(text) ? parseJson(text) : text
}

/** The page's URL as a search, and what of it the server can count. */
export function threadQueryOf(search: Pick<URLSearchParams, 'get'>) {
  const status = THREAD_STATUSES.find((one) => one === search.get('status')) as Status | undefined
  const { ids, metadata, problem } = readThreadSearch(search.get('q') ?? '')
  const offset = Number(search.get('offset') ?? 0)
  const filters = { ...(status && { status }), ...(metadata && { metadata }) }
  return {
    problem,
    filters,
    // Servers count by filters only; of ids there is at most the one.
    isCounted: !ids,
    body: {
      ...filters,
      ...(ids && { ids }),
      limit: PAGE_SIZE,
      offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
      sort_by: 'updated_at' as const,
      sort_order: 'desc' as const,
      select: LIGHT_COLUMNS,
    },
  }
}
