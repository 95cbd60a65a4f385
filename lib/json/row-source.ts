import type { JsonKind } from './value'

/** One line of a tree, as it is shown. */
export type JsonRow = {
  key: string | number | undefined
  kind: JsonKind
  /** A scalar as JSON, cut where it is long; of a container its first entries. */
  text: string
  depth: number
  isOpen: boolean
  /** Entries of a container. */
  size: number
  /** Place among its siblings, from 1. */
  position: number
  siblings: number
}

/** The selected line in full. `text` is a number or string as it is; `isCut` where that was too long to be handed over. */
export type JsonDetailData = { path: string; kind: JsonKind; text?: string; isCut?: boolean }

export type SearchState = { text: string; found: number; isDone: boolean }

/** What a tree is like at a moment. A new one each time something of it changes. */
export type TreeState = {
  rowCount: number
  /** The line that is selected. */
  selected: number
  detail: JsonDetailData
  /** Of a text that is still coming, how much is there (0 to 1, undefined where its size is not known). */
  progress?: { share: number | undefined }
  problem?: string
  search?: SearchState
  /** Moves when the selected line is to be brought into sight. */
  attention: { count: number; where: 'nearest' | 'center' }
}

/**
 * What a tree is drawn from: the lines of a JSON value, of which parts are open. Lines may come later than they are asked
 * for, so everything is told through `subscribe`; commands name a line by its index in the state that is shown.
 */
export interface RowSource {
  subscribe(onChange: () => void): () => void
  getState(): TreeState
  /** Which lines are in sight. */
  show(first: number, end: number): void
  /** A line, undefined while it is on its way. */
  rowAt(index: number): JsonRow | undefined
  select(index: number): void
  selectParent(): void
  toggle(index: number): void
  /** Opens all below the selected line, up to so many lines. */
  openBelow(rows: number): void
  collapse(): void
  /** An empty text ends the search. */
  search(text: string): void
  /** Selects a hit by its number and opens the way to it. */
  goToHit(hit: number): void
  /** The selected line's path and value, whole. */
  pathText(): string | Promise<string>
  valueText(): string | Promise<string>
  /** The value as a file of JSON. */
  valueBlob(): Blob | Promise<Blob>
}

const nothing = () => {}
const WAITING: TreeState = {
  rowCount: 4,
  selected: 0,
  detail: { path: '$', kind: 'null' },
  attention: { count: 0, where: 'nearest' },
}

/** Stands for a value that has not begun to come: a few lines that are on their way. */
export const waiting: RowSource = {
  ...{ subscribe: () => nothing, getState: () => WAITING, show: nothing, rowAt: () => undefined },
  ...{ select: nothing, selectParent: nothing, toggle: nothing, openBelow: nothing, collapse: nothing },
  ...{ search: nothing, goToHit: nothing },
  ...{ pathText: () => '', valueText: () => '', valueBlob: () => new Blob() },
}

/** A longer text is cut in its line and whole in the detail below the tree. */
export const MAX_LINE_TEXT = 240
export const MAX_KEY_TEXT = 120
