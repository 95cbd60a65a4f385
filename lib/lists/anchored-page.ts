// Pages of an offset-based list whose rows come and go. A page remembers the ids of the rows next to it and is cut from
// a somewhat larger window, in which those rows are found again after they moved.

/** How many rows may be added or removed above a page before it loses its anchors. */
export const SLACK = 20
/** Rows remembered of a neighbouring page, so that a deleted one has a substitute. */
export const ANCHORS = 3

export type PageRequest = {
  /** Where the page began when it was requested. */
  offset: number
  size: number
  /** Last rows of the previous page, the very last one first. */
  after?: readonly string[]
  /** First rows of the next page, the very first one first. */
  before?: readonly string[]
}

export type AnchoredPage<Row> = {
  rows: Row[]
  /** Current offset of its first row. */
  offset: number
  hasNext: boolean
  /** Its anchors are gone or too far away, so it was cut by its offset. */
  isLost: boolean
}

const isAnchored = ({ after, before }: PageRequest) => Boolean(after?.length || before?.length)

/** The rows to read for a page; one more than it shows, to find out whether there is a next page. */
export function windowOf(wanted: PageRequest): { from: number; count: number } {
  if (!isAnchored(wanted)) return { from: wanted.offset, count: wanted.size + 1 }
  const from = Math.max(0, wanted.offset - SLACK)
  return { from, count: wanted.offset - from + wanted.size + SLACK + 1 }
}

/** Cuts the page from its window. A row that moved while the window was read in parts appears once. */
export function pageOf<Row extends { id: string }>(
  wanted: PageRequest,
  window: { from: number; rows: readonly Row[] },
): AnchoredPage<Row> {
  const rows = [...new Map(window.rows.map((row) => [row.id, row])).values()]
  const cut = (start: number, isLost = false): AnchoredPage<Row> => ({
    rows: rows.slice(start, start + wanted.size),
    offset: window.from + start,
    // A full window does not show whether anything follows.
    hasNext: rows.length > start + wanted.size || window.rows.length >= windowOf(wanted).count,
    isLost,
  })
  const place = (ids: readonly string[] = []) =>
    ids.map((id) => rows.findIndex((row) => row.id === id)).find((index) => index !== -1)
  const last = place(wanted.after)
  if (last !== undefined) return cut(last + 1)
  const first = place(wanted.before)
  if (first !== undefined) return cut(Math.max(0, first - wanted.size))
  return cut(Math.max(0, wanted.offset - window.from), isAnchored(wanted))
}

/** The anchors that a page passes to its neighbours. */
export const anchorsAfter = (rows: readonly { id: string }[]): string[] =>
  rows
    .slice(-ANCHORS)
    .map(({ id }) => id)
    .reverse()
export const anchorsBefore = (rows: readonly { id: string }[]): string[] => rows.slice(0, ANCHORS).map(({ id }) => id)
