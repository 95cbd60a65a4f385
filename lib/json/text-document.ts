import { type JsonDetailData, type JsonRow, MAX_KEY_TEXT, MAX_LINE_TEXT, type TreeState } from './row-source'
import { TextIndex } from './text-index'
import { TextNodes } from './text-nodes'
import { indented } from './text-print'
import { TextSearch } from './text-search'
import { FIRST_ROWS, TreeModel, type TreePosition } from './tree-model'
import { pathText } from './value'

/** Commands of a tree; lines are named by their index. */
export type TreeCommand =
  | { do: 'show'; first: number; end: number }
  | { do: 'select' | 'toggle'; index: number }
  | { do: 'selectParent' | 'collapse' }
  | { do: 'openBelow'; rows: number }
  | { do: 'search'; text: string }
  | { do: 'goToHit'; hit: number }

/** The tree's state, without its detail if that is unchanged, and the lines from `first` on. */
export type Frame = {
  state: Omit<TreeState, 'detail'> & Partial<Pick<TreeState, 'detail'>>
  first: number
  rows: JsonRow[]
}

/** A key of the tree's outermost object, with its value as JSON, or only its size if it is too large to send. */
export type Member = { key: string; text: string | undefined; bytes: number }

/** The newest entries of a list as the text of a list, with their number and the total. */
export type Newest = { text: string; count: number; of: number }

/** Only the beginning of a longer string is sent. Images are complete up to this size. */
const MOST_DETAIL_BYTES = 16 * 1024 * 1024
const CUT_DETAIL_CHARACTERS = 100_000
/** Longer paths are truncated. */
const MOST_PATH_TEXT = 4_000
/** Lines sent beyond the visible ones, so that scrolling finds them loaded. */
const MARGIN = 60

/**
 * A JSON text as a tree with its expanded parts and search. It is fed bytes and works in slices of time that its owner
 * (a worker) gives it; `under` names the top-level key whose value is the tree.
 */
export class TextDocument {
  readonly index = new TextIndex()
  readonly nodes = new TextNodes(this.index)
  readonly #under: string | undefined
  #model: TreeModel<number> | undefined
  #place: TreePosition = []
  #from: TextDocument | undefined
  #window = { first: 0, end: FIRST_ROWS }
  #search: TextSearch | undefined
  #searched = ''
  #toldDetail = ''
  #attention: TreeState['attention'] = { count: 0, where: 'nearest' }
  readonly #expected: number | undefined

  /** `expected`: the total number of bytes, if known. */
  constructor({ under, from, expected }: { under?: string; from?: TextDocument; expected?: number }) {
    this.#under = under
    this.#from = from
    this.#expected = expected
  }

  /** Indexes up to this many bytes. Returns whether there is more to do now. */
  advance(bytes: number): boolean {
    const hasMore = this.index.advance(bytes)
    if (this.#model) this.#model.grow()
    else this.#start()
    // What was expanded in the previous document is expanded once this one is complete.
    if (this.index.isWhole && this.#model && this.#from) {
      const from = this.#from
      this.#from = undefined
      this.#model = from.#model?.over(this.nodes, this.#model.value) ?? this.#model
      this.#place = (from.#model && this.#model.placeOf(from.#model.pathOf(from.#place))) ?? []
      this.#window = from.#window
    }
    return hasMore
  }

  /** The offset of the tree's value; undefined until it arrives. */
  get root(): number | undefined {
    return this.#model?.value
  }

  /** The outermost object without the tree's value, as JSON; complete once `isWhole`. */
  get head(): string {
    const { index, nodes } = this
    const top = index.root
    if (this.#under === undefined || top === undefined || !index.isContainer(top) || index.isList(top)) return '{}'
    const parts: string[] = []
    for (let position = 0; position < index.size(top); position++) {
      const child = index.childAt(top, position)
      const value = index.valueOf(top, child)
      if (nodes.stringAt(child) === this.#under) continue
      if (index.isWhole || index.endOf(value) < index.completeLength) parts.push(nodes.rawAt(child, index.endOf(value)))
    }
    return `{${parts.join(',')}}`
  }

  run(command: TreeCommand): void {
    const model = this.#model
    if (command.do === 'show') this.#window = command
    if (command.do === 'search') this.#searched = command.text
    if (!model) return
    switch (command.do) {
      case 'select':
      case 'toggle': {
        const place = model.rowAt(command.index)?.place
        if (!place) return
        if (command.do === 'toggle') {
          model.toggle(place)
          this.#place = place
        } else this.#select(place, 'nearest')
        break
      }
      case 'selectParent':
        this.#select(this.#place.slice(0, -1), 'nearest')
        break
      case 'openBelow':
        model.openBelow(this.#place, command.rows)
        break
      case 'collapse':
        this.#model = new TreeModel(this.nodes, model.value)
        this.#place = []
        break
      case 'search':
        this.#startSearch(model.value)
        break
      case 'goToHit': {
        const at = this.#search?.hits[command.hit]
        if (at === undefined) return
        const place = this.#placeAt(at)
        model.open(place.slice(0, -1))
        this.#select(place, 'center')
      }
    }
  }

  /** Searches for about this many milliseconds. Returns whether there is more to do now. */
  searchOn(milliseconds: number): boolean {
    const before = this.#search
    if (!before || before.isDone) return false
    before.advance(milliseconds)
    return !before.isDone && (this.index.isWhole || this.index.completeLength < this.index.length)
  }

  frame(): Frame {
    const { index } = this
    const model = this.#model
    const rowCount = model?.rowCount ?? 0
    const first = Math.max(0, Math.min(this.#window.first - MARGIN, rowCount))
    const end = Math.min(rowCount, this.#window.end + MARGIN)
    const rows = Array.from({ length: end - first }, (_, line) => this.#row(first + line))
    const selected = `${this.#selectedAt()} ${index.isWhole}`
    const hasDetail = this.#toldDetail !== selected
    this.#toldDetail = selected
    const state: Frame['state'] = {
      rowCount,
      selected: model?.indexOf(this.#place) ?? 0,
      // The detail may be megabytes.
      ...(hasDetail && { detail: this.#detail() }),
      attention: this.#attention,
      ...(!index.isWhole && {
        progress: { share: this.#expected ? index.completeLength / this.#expected : undefined },
      }),
      ...(index.problem !== undefined && { problem: index.problem }),
      ...(this.#search && {
        search: { text: this.#searched, found: this.#search.hits.length, isDone: this.#search.isDone },
      }),
    }
    return { state, first, rows }
  }

  pathText(): string {
    return pathText(this.#model?.pathOf(this.#place) ?? [])
  }

  /** The selected value for copying: a string itself, anything else as indented JSON. */
  valueText(): string {
    const at = this.#selectedAt()
    if (at === undefined) return ''
    return this.nodes.kindOf(at) === 'string' ? this.nodes.stringAt(at) : indented(this.index, at)
  }

  /** The selected value as a file with its original bytes. */
  valueBlob(): Blob {
    const at = this.#selectedAt() ?? 0
    const bytes = this.index.bytes.subarray(at, this.index.endOf(at))
    return new Blob([bytes as Uint8Array<ArrayBuffer>]) // the buffer is never shared
  }

  /** The keys of the tree's value, with values up to this many bytes. */
  members(most: number): Member[] {
    const { index, nodes, root } = this
    if (root === undefined || nodes.kindOf(root) !== 'object') return []
    return Array.from({ length: index.size(root) }, (_, position) => {
      const value = nodes.child(root, position)
      const end = index.endOf(value)
      const text = end - value <= most ? nodes.rawAt(value, end) : undefined
      return { key: String(nodes.keyAt(root, position)), text, bytes: end - value }
    })
  }

  /** The last entries of the list at a key of the tree's value, up to this many bytes. */
  newest(key: string, most: number): Newest {
    const { index, nodes, root } = this
    const position = root !== undefined && nodes.isContainer(root) ? nodes.find(root, key) : undefined
    const list = position === undefined || root === undefined ? undefined : nodes.child(root, position)
    if (list === undefined || !index.isList(list)) return { text: '[]', count: 0, of: 0 }
    const of = index.size(list)
    const texts: string[] = []
    for (let at = of - 1, left = most; at >= 0; at--) {
      const value = nodes.child(list, at)
      const end = index.endOf(value)
      left -= end - value
      if (left < 0) break
      texts.unshift(nodes.rawAt(value, end))
    }
    return { text: `[${texts.join(',')}]`, count: texts.length, of }
  }

  #start(): void {
    const { index, nodes } = this
    const top = index.root
    if (top === undefined) return
    let at: number | undefined = top
    if (this.#under !== undefined) {
      const position = index.isContainer(top) ? nodes.find(top, this.#under) : undefined
      at = position === undefined ? undefined : nodes.child(top, position)
    }
    // Half a number has no value, and a container must have begun.
    if (at === undefined || (!index.isWhole && !index.isContainer(at) && index.endOf(at) >= index.completeLength))
      return
    this.#model = new TreeModel(nodes, at)
    if (index.isWhole) this.#model.openBelow([], FIRST_ROWS)
    this.#startSearch(at)
  }

  #startSearch(root: number): void {
    this.#search = this.#searched === '' ? undefined : new TextSearch(this.index, root, this.#searched)
  }

  #selectedAt(): number | undefined {
    return this.#model?.valueAt(this.#place)
  }

  #select(place: TreePosition, where: 'nearest' | 'center'): void {
    this.#place = place
    this.#attention = { count: this.#attention.count + 1, where }
  }

  /** The place of the value that begins at an offset, searched from the outside in. */
  #placeAt(at: number): TreePosition {
    const { index, nodes } = this
    const place: number[] = []
    for (let value = this.#model?.value ?? at; value !== at; ) {
      const position = index.positionOf(value, at)
      place.push(position)
      value = nodes.child(value, position)
    }
    return place
  }

  #row(line: number): JsonRow {
    const { nodes } = this
    const row = this.#model?.rowAt(line)
    if (!row) throw new RangeError(`There is no line ${line}.`)
    const { place: _, value, key, ...more } = row
    const isContainer = nodes.isContainer(value)
    return {
      ...more,
      key: typeof key === 'string' && key.length > MAX_KEY_TEXT ? `${key.slice(0, MAX_KEY_TEXT)}…` : key,
      kind: nodes.kindOf(value),
      text: isContainer ? (row.isOpen ? '' : nodes.previewText(value)) : nodes.scalarText(value, MAX_LINE_TEXT),
    }
  }

  #detail(): JsonDetailData {
    const at = this.#selectedAt()
    if (at === undefined) return { path: '$', kind: 'null' }
    const { nodes, index } = this
    const kind = nodes.kindOf(at)
    const whole = this.pathText()
    const path = whole.length > MOST_PATH_TEXT ? `${whole.slice(0, MOST_PATH_TEXT)}…` : whole
    if (kind === 'number') return { path, kind, text: nodes.scalarText(at, CUT_DETAIL_CHARACTERS) }
    if (kind !== 'string') return { path, kind }
    if (index.endOf(at) - at <= MOST_DETAIL_BYTES) return { path, kind, text: nodes.stringAt(at) }
    return { path, kind, text: nodes.beginningOf(at, CUT_DETAIL_CHARACTERS).text, isCut: true }
  }
}
