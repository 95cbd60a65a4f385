// Pages of a list that is read by offset while rows come and go. A page remembers the rows it follows (or precedes) by
// id; it is cut from a somewhat larger window, where those rows are found again although they have moved.

/** How many rows may have come or gone above a page before the rows it follows are out of sight. */
export const SLACK = 20
/** Rows remembered of the neighbouring page: when one is deleted the next one stands for it. */
export const ANCHORS = 3

export type PageRequest = {
  /** Where the page began when it was asked for. */
  offset: number
  size: number
  /** Last rows of the page before, the very last one first. */
  after?: readonly string[]
  /** First rows of the page after, the very first one first. */
  before?: readonly string[]
}

export type AnchoredPage<Row> = {
  rows: Row[]
  /** Where its first row is now. */
  offset: number
  hasNext: boolean
  /** The rows it was to follow are gone or far away: it was cut by its offset instead. */
  isLost: boolean
}

const isAnchored = ({ after, before }: PageRequest) => Boolean(after?.length || before?.length)

/** The rows to read for a page; one more than it shows, to know whether there is a next one. */
export function windowOf(wish: PageRequest): { from: number; count: number } {
  if (!isAnchored(wish)) return { from: wish.offset, count: wish.size + 1 }
  const from = Math.max(0, wish.offset - SLACK)
  return { from, count: wish.offset - from + wish.size + SLACK + 1 }
}

/** The page within its window. A row that moved while the window was read in parts is there once. */
export function pageOf<Row extends { id: string }>(
  wish: PageRequest,
  window: { from: number; rows: readonly Row[] },
): AnchoredPage<Row> {
  const rows = [...new Map(window.rows.map((row) => [row.id, row])).values()]
  const cut = (start: number, isLost = false): AnchoredPage<Row> => ({
    rows: rows.slice(start, start + wish.size),
    offset: window.from + start,
    // A window that was filled to its end says nothing of what comes behind it.
    hasNext: rows.length > start + wish.size || window.rows.length >= windowOf(wish).count,
    isLost,
  })
  const place = (ids: readonly string[] = []) =>
    ids.map((id) => rows.findIndex((row) => row.id === id)).find((index) => index !== -1)
  const last = place(wish.after)
  if (last !== undefined) return cut(last + 1)
  const first = place(wish.before)
  if (first !== undefined) return cut(Math.max(0, first - wish.size))
  return cut(Math.max(0, wish.offset - window.from), isAnchored(wish))
}

/** What a page hands to its neighbours. */
export const anchorsAfter = (rows: readonly { id: string }[]): string[] =>
  rows
    .slice(-ANCHORS)
    .map(({ id }) => id)
    .reverse()
export const anchorsBefore = (rows: readonly { id: string }[]): string[] => rows.slice(0, ANCHORS).map(({ id }) => id)
