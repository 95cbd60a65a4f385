import type { JsonKind } from './value'

/** One line of a tree. */
export type JsonRow = {
  key: string | number | undefined
  kind: JsonKind
  /** A scalar as JSON, truncated if long; a container's first entries. */
  text: string
  depth: number
  isOpen: boolean
  /** Number of entries of a container. */
  size: number
  /** Position among its siblings, from 1. */
  position: number
  siblings: number
}

/** The selected line in full. `text` is the number or string itself; `isCut` if it was too long to send. */
export type JsonDetailData = { path: string; kind: JsonKind; text?: string; isCut?: boolean }

export type SearchState = { text: string; found: number; isDone: boolean }

/** A snapshot of a tree, replaced with each change. */
export type TreeState = {
  rowCount: number
  /** Index of the selected line. */
  selected: number
  detail: JsonDetailData
  /** How much of a text has arrived (0 to 1, undefined if its size is unknown). */
  progress?: { share: number | undefined }
  problem?: string
  search?: SearchState
  /** Changes when the selected line should be scrolled into view. */
  attention: { count: number; where: 'nearest' | 'center' }
}

/**
 * The lines of a JSON value with some parts expanded. Lines may arrive later than requested, so changes are reported
 * through `subscribe`; commands name a line by its current index.
 */
export interface RowSource {
  subscribe(onChange: () => void): () => void
  getState(): TreeState
  /** Sets the visible lines. */
  show(first: number, end: number): void
  /** A line; undefined while it is loading. */
  rowAt(index: number): JsonRow | undefined
  select(index: number): void
  selectParent(): void
  toggle(index: number): void
  /** Expands everything below the selected line, up to this many lines. */
  openBelow(rows: number): void
  collapse(): void
  /** An empty text ends the search. */
  search(text: string): void
  /** Selects a hit by its number and expands its ancestors. */
  goToHit(hit: number): void
  /** The complete path and value of the selected line. */
  pathText(): string | Promise<string>
  valueText(): string | Promise<string>
  /** The value as a JSON file. */
  valueBlob(): Blob | Promise<Blob>
}

const nothing = () => {}
const WAITING: TreeState = {
  rowCount: 4,
  selected: 0,
  detail: { path: '$', kind: 'null' },
  attention: { count: 0, where: 'nearest' },
}

/** Placeholder for a value that has not begun to arrive: a few loading lines. */
export const waiting: RowSource = {
  ...{ subscribe: () => nothing, getState: () => WAITING, show: nothing, rowAt: () => undefined },
  ...{ select: nothing, selectParent: nothing, toggle: nothing, openBelow: nothing, collapse: nothing },
  ...{ search: nothing, goToHit: nothing },
  ...{ pathText: () => '', valueText: () => '', valueBlob: () => new Blob() },
}

/** Longer text is truncated in its line and complete in the detail below the tree. */
export const MAX_LINE_TEXT = 240
export const MAX_KEY_TEXT = 120
