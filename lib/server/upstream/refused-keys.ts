import 'server-only'
import type { AppError } from '@/lib/errors'

// What a server has refused in its searches, so that the next one is not refused again.

type Body = {
  limit?: number
  select?: unknown
  extract?: unknown
  sort_by?: string | null
  sort_order?: string | null
}
type Refused = { keys: Set<string>; sorts: Set<string>; most: number; until: number }

const KEPT_MS = 10 * 60_000
const MOST_KEPT = 500
// On globalThis, because several copies of this module share it.
const shared = globalThis as unknown as { pilothouseRefused?: Map<string, Refused> }
const places = () => {
  shared.pilothouseRefused ??= new Map()
  return shared.pilothouseRefused
}

function refusedAt(place: string): Refused | undefined {
  const known = places().get(place)
  return known && known.until > Date.now() ? known : undefined
}

/** The body without what this server refuses. Without a key it returns more, or in its own order. */
export function withoutRefused<B extends Body>(place: string, body: B): B {
  const known = refusedAt(place)
  if (!known) return body
  const rest = { ...body }
  if (known.keys.has('select')) delete rest.select
  if (known.keys.has('extract')) delete rest.extract
  if (rest.sort_by && known.sorts.has(rest.sort_by)) {
    // Nearest to the time of the last state is that of the last change.
    if (rest.sort_by === 'state_updated_at' && !known.sorts.has('updated_at')) rest.sort_by = 'updated_at'
    else {
      delete rest.sort_by
      delete rest.sort_order
    }
  }
  if (rest.limit !== undefined) rest.limit = Math.min(rest.limit, known.most)
  return rest
}

/** Remembers what the error says the server refuses. False if that is nothing that can be left out. */
export function refusalOf(place: string, body: Body, { code, message, view }: AppError): boolean {
  if (code !== 'invalid') return false
  const sent = withoutRefused(place, body)
  const names = (key: string) =>
    view.fields?.some(({ path }) => path[0] === key) || new RegExp(`\\b${key}\\b`).test(message)
  const keys = (['select', 'extract'] as const).filter((key) => sent[key] !== undefined && names(key))
  const sort = sent.sort_by && names('sort_by') ? sent.sort_by : undefined
  const most = names('limit') ? Number(/(?:less than or equal to|<=|at most) (\d+)/.exec(message)?.[1]) : Number.NaN
  const isSmaller = most > 0 && sent.limit !== undefined && most < sent.limit
  if (keys.length === 0 && !sort && !isSmaller) return false
  const before = refusedAt(place)
  if (places().size >= MOST_KEPT) places().clear()
  places().set(place, {
    keys: new Set([...(before?.keys ?? []), ...keys]),
    sorts: new Set([...(before?.sorts ?? []), ...(sort ? [sort] : [])]),
    most: isSmaller ? most : (before?.most ?? Number.POSITIVE_INFINITY),
    until: Date.now() + KEPT_MS,
  })
  return true
}
