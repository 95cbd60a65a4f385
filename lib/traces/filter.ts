/**
 * The filter language of tracing servers, such as `and(eq(status, "error"), gt(latency, 2))`. Parsed here; the platform
 * turns it into SQL, and the console sends the text to any server.
 */

export const COMPARATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'has', 'like', 'in'] as const
export type Comparator = (typeof COMPARATORS)[number]
export type FilterValue = string | number | boolean | null
export type Filter =
  | { op: 'and' | 'or'; of: readonly Filter[] }
  | { op: 'not'; of: readonly [Filter] }
  | { op: Comparator; field: string; value: FilterValue | readonly FilterValue[] }
  | { op: 'search'; text: string }

/** A syntax error in a filter, with its position. */
export class FilterError extends Error {
  override name = 'FilterError'
}

const TOKEN =
  /\s*(?:([A-Za-z_][\w.]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([(),[\]]))/y
const MAX_DEPTH = 20

/** Throws a FilterError. */
export function parseFilter(text: string): Filter {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (text.slice(TOKEN.lastIndex).trim() !== '') {
    const start = TOKEN.lastIndex
    const found = TOKEN.exec(text)
    if (!found) throw new FilterError(`The filter cannot be read at ${JSON.stringify(text.slice(start, start + 20))}`)
    tokens.push(found[0].trim())
  }
  let at = 0
  const next = () => tokens[at++]
  const expect = (wanted: string) => {
    const found = next()
    if (found !== wanted) throw new FilterError(`The filter needs ${wanted} where it has ${found ?? 'its end'}`)
  }
  const value = (): FilterValue | FilterValue[] => {
    const token = next()
    if (token === undefined) throw new FilterError('The filter ends where a value is needed')
    if (token === '[') {
      const list: FilterValue[] = []
      while (tokens[at] !== ']') {
        const one = value()
        if (Array.isArray(one)) throw new FilterError('A list inside a list is not allowed')
        list.push(one)
        if (tokens[at] !== ']') expect(',')
      }
      expect(']')
      return list
    }
    if (/^["']/.test(token)) return unquote(token)
    if (/^-?\d/.test(token)) return Number(token)
    if (/^true$/i.test(token)) return true
    if (/^false$/i.test(token)) return false
    if (/^(null|none)$/i.test(token)) return null
    throw new FilterError(`${token} is not a value; put text in quotes`)
  }
  const term = (depth: number): Filter => {
    const op = next()
    if (depth > MAX_DEPTH) throw new FilterError('The filter is nested too deeply')
    expect('(')
    if (op === 'and' || op === 'or' || op === 'not') {
      const of = [term(depth + 1)]
      while (op !== 'not' && tokens[at] === ',') {
        at += 1
        of.push(term(depth + 1))
      }
      expect(')')
      return op === 'not' ? { op, of: [of[0] as Filter] } : { op, of } // lists start with an element
    }
    if (op === 'search') {
      const text = value()
      expect(')')
      if (typeof text !== 'string') throw new FilterError('search needs a text')
      return { op, text }
    }
    const comparator = COMPARATORS.find((one) => one === op)
    if (!comparator) throw new FilterError(`${op ?? 'The end'} is not a comparison`)
    const field = next() ?? ''
    if (!/^[A-Za-z_]/.test(field)) throw new FilterError(`${field || 'The end'} is not a field`)
    expect(',')
    const compared = value()
    expect(')')
    return { op: comparator, field, value: compared }
  }
  const filter = term(0)
  if (at < tokens.length) throw new FilterError(`The filter has text after its end: ${tokens[at]}`)
  return filter
}

function unquote(token: string): string {
  const inner = token.slice(1, -1)
  if (token.startsWith('"'))
    try {
      return JSON.parse(token) as string
    } catch {
      // An escape that JSON does not have.
    }
  return inner.replace(/\\(.)/g, '$1')
}

/** The text of a filter. */
export function printFilter(filter: Filter): string {
  if (filter.op === 'and' || filter.op === 'or' || filter.op === 'not')
    return `${filter.op}(${filter.of.map(printFilter).join(', ')})`
  if (filter.op === 'search') return `search(${JSON.stringify(filter.text)})`
  const { op, field, value } = filter as Extract<Filter, { field: string }> // the other operators are handled above
  return `${op}(${field}, ${JSON.stringify(value)})`
}

/** A user's filter of a list of runs; absent fields match everything. Latencies in seconds. */
export type RunFilter = {
  status?: string
  runType?: string
  name?: string
  model?: string
  provider?: string
  /** Why the model stopped. */
  finish?: string
  /** Parts of the input that came from the cache, from 0 to 1. */
  minCached?: number
  maxCached?: number
  tag?: string
  metadata?: Readonly<Record<string, FilterValue>>
  text?: string
  thread?: string
  /** Text in the error. */
  error?: string
  minLatency?: number
  maxLatency?: number
  minTokens?: number
  maxTokens?: number
  after?: string
  before?: string
}

/** The text of a user's filter; undefined if it matches everything. */
export function filterText(asked: RunFilter): string | undefined {
  const of: Filter[] = []
  const add = (op: Comparator, field: string, value: FilterValue | undefined) => {
    if (value !== undefined && value !== '') of.push({ op, field, value })
  }
  add('eq', 'status', asked.status)
  add('eq', 'run_type', asked.runType)
  add('like', 'name', asked.name && `%${asked.name}%`)
  add('like', 'model', asked.model && `%${asked.model}%`)
  add('like', 'provider', asked.provider)
  add('eq', 'finish_reason', asked.finish)
  add('gte', 'cached_share', asked.minCached)
  add('lte', 'cached_share', asked.maxCached)
  add('has', 'tags', asked.tag)
  add('eq', 'thread_id', asked.thread)
  add('like', 'error', asked.error && `%${asked.error}%`)
  for (const [key, value] of Object.entries(asked.metadata ?? {}))
    add('has', 'metadata', JSON.stringify(Object.fromEntries([[key, value]])))
  add('gte', 'latency', asked.minLatency)
  add('lte', 'latency', asked.maxLatency)
  add('gte', 'total_tokens', asked.minTokens)
  add('lte', 'total_tokens', asked.maxTokens)
  add('gte', 'start_time', asked.after)
  add('lt', 'start_time', asked.before)
  if (asked.text) of.push({ op: 'search', text: asked.text })
  const [first] = of
  return first && printFilter(of.length === 1 ? first : { op: 'and', of })
}
