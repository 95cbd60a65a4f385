import type { JsonDetailData, JsonRow, RowSource, TreeState } from './row-source'
import { MAX_LINE_TEXT } from './row-source'
import { FIRST_ROWS, type Nodes, TreeModel, type TreePosition } from './tree-model'
import { isContainer, jsonText, keysOf, kindOf, pathText, previewText, scalarText, sizeOf } from './value'
import { type JsonSearch, searchJson } from './value-search'

const SEARCH_DELAY_MS = 120
const SEARCH_SLICE_MS = 10

/** The parts of a parsed value. */
export const valueNodes: Nodes<unknown> = {
  isContainer,
  size: (value) => sizeOf(value as object), // the caller passes containers only, here and below
  child: (value, at) =>
    Array.isArray(value) ? value[at] : (value as Record<string, unknown>)[keysOf(value as object)[at] as string],
  keyAt: (value, at) => (Array.isArray(value) ? at : (keysOf(value as object)[at] as string)),
  find: (value, key) => {
    const at = Array.isArray(value) ? Number(key) : keysOf(value as object).indexOf(String(key))
    return at >= 0 && at < sizeOf(value as object) ? at : undefined
  },
  isWhole: () => true,
}

/** The lines of a value in memory, available at once and without copies. */
export class ValueSource implements RowSource {
  #model: TreeModel<unknown>
  #place: TreePosition = []
  #search: JsonSearch | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #state: TreeState
  readonly #listeners = new Set<() => void>()

  constructor(
    readonly value: unknown,
    from?: ValueSource,
  ) {
    this.#model = from ? from.#model.over(valueNodes, value) : new TreeModel(valueNodes, value)
    if (from) this.#place = this.#model.placeOf(from.#model.pathOf(from.#place)) ?? []
    else this.#model.openBelow([], FIRST_ROWS)
    this.#state = {
      rowCount: this.#model.rowCount,
      selected: this.#model.indexOf(this.#place) ?? 0,
      detail: this.#detail(),
      attention: from?.getState().attention ?? { count: 0, where: 'nearest' },
    }
  }

  subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange)
    return () => {
      this.#listeners.delete(onChange)
      if (this.#listeners.size === 0) clearTimeout(this.#timer)
    }
  }
  getState = (): TreeState => this.#state

  show(): void {}

  rowAt(index: number): JsonRow | undefined {
    const row = this.#model.rowAt(index)
    if (!row) return undefined
    const { place: _, value, ...more } = row
    return {
      ...more,
      kind: kindOf(value),
      text: isContainer(value) ? (row.isOpen ? '' : previewText(value)) : scalarText(value, MAX_LINE_TEXT),
    }
  }

  select(index: number): void {
    const row = this.#model.rowAt(index)
    if (row) this.#selectPlace(row.place, 'nearest')
  }
  selectParent(): void {
    this.#selectPlace(this.#place.slice(0, -1), 'nearest')
  }
  toggle(index: number): void {
    const row = this.#model.rowAt(index)
    if (!row) return
    this.#model.toggle(row.place)
    this.#place = row.place
    this.#tell({ detail: this.#detail() })
  }
  openBelow(rows: number): void {
    this.#model.openBelow(this.#place, rows)
    this.#tell({})
  }
  collapse(): void {
    this.#model = new TreeModel(valueNodes, this.value)
    this.#place = []
    this.#tell({ detail: this.#detail() })
  }

  search(text: string): void {
    clearTimeout(this.#timer)
    this.#search = text === '' ? undefined : searchJson(this.value, text)
    this.#tell({ search: text === '' ? undefined : { text, found: 0, isDone: false } })
    const search = this.#search
    if (!search) return
    // One slice per turn, so that the page stays responsive; each slice may bring more hits.
    const turn = () => {
      search.advance(SEARCH_SLICE_MS)
      if (!search.isDone) this.#timer = setTimeout(turn)
      this.#tell({ search: { text, found: search.hits.length, isDone: search.isDone } })
    }
    this.#timer = setTimeout(turn, SEARCH_DELAY_MS)
  }
  goToHit(hit: number): void {
    const place = this.#search?.hits[hit]
    if (!place) return
    this.#model.open(place.slice(0, -1))
    this.#selectPlace(place, 'center')
  }

  pathText(): string {
    return pathText(this.#model.pathOf(this.#place))
  }
  valueText(): string {
    const value = this.#model.valueAt(this.#place)
    return typeof value === 'string' ? value : jsonText(value)
  }
  valueBlob(): Blob {
    return new Blob([jsonText(this.#model.valueAt(this.#place))])
  }

  #detail(): JsonDetailData {
    const value = this.#model.valueAt(this.#place)
    const kind = kindOf(value)
    const hasText = kind === 'string' || kind === 'number'
    return { path: this.pathText(), kind, ...(hasText && { text: String(value) }) }
  }

  #selectPlace(place: TreePosition, where: 'nearest' | 'center'): void {
    this.#place = place
    this.#tell({ detail: this.#detail(), attention: { count: this.#state.attention.count + 1, where } })
  }

  #tell(change: Partial<TreeState>): void {
    const { rowCount } = this.#model
    this.#state = { ...this.#state, ...change, rowCount, selected: this.#model.indexOf(this.#place) ?? 0 }
    for (const listener of this.#listeners) listener()
  }
}
