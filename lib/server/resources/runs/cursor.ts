import 'server-only'
import type { Edge } from '../../records/recorded-runs'

/**
 * Where a page of runs begins. Traces are read only so far at a time, and recordings to their end, so runs that only traces
 * know may begin elsewhere.
 */
export type Cursor = { edge: Edge; traced: Edge }

export function readCursor(text: string): Cursor | undefined {
  const [first = '', second = first] = text.split('|')
  const [edge, traced] = [readEdge(first), readEdge(second)]
  return edge && traced && { edge, traced }
}

function readEdge(text: string): Edge | undefined {
  const cut = text.indexOf('_')
  const at = Number(text.slice(0, cut))
  const isOne = cut > 0 && Number.isSafeInteger(at) && Math.abs(at) <= 8.64e15
  return isOne ? { at, id: text.slice(cut + 1) } : undefined
}

/** Newer than any id of its millisecond. */
const BEFORE_ALL = '~'

/** Where traces go on whose oldest one read began at `since`; those of its millisecond are to be listed then. */
export const tracedFrom = (since: string | undefined): Edge | undefined =>
  since === undefined ? undefined : { at: Date.parse(since), id: BEFORE_ALL }

type Page = {
  limit: number
  /** Where it began. */
  after: Cursor | undefined
  /** Where its traces go on, if there are more. */
  traced: Edge | undefined
}

/** The cursor after a page of the first `limit` of these rows, newest first; null at the end. */
export function cursorAfter(
  rows: readonly { id: string; startedAt: string }[],
  { limit, after, traced: read }: Page,
): string | null {
  const isFull = rows.length > limit
  if (!isFull && !read) return null
  const last = rows[Math.min(rows.length, limit) - 1]
  const end = last && { at: Date.parse(last.startedAt), id: last.id }
  const edge = older(after?.edge, end) ?? read
  const shown = isFull ? older(after?.traced, end) : read
  const traced = read && shown && isAfter(shown, read) ? read : shown
  if (!edge || !traced) return null
  const [first, second] = [textOf(edge), textOf(traced)]
  return first === second ? first : `${first}|${second}`
}

const textOf = ({ at, id }: Edge) => `${at}_${id}`
const older = (a: Edge | undefined, b: Edge | undefined) => (a && b ? (isAfter(a, b) ? a : b) : (a ?? b))

/** Whether a row comes after another one in a list, newest first. */
export const isAfter = (one: Edge, edge: Edge): boolean => one.at < edge.at || (one.at === edge.at && one.id < edge.id)
