import type { JsonDetailData, JsonRow, RowSource, TreeState } from './row-source'
import type { Frame, TreeCommand } from './text-document'
import type { Question } from './worker-program'

type Door = { command(command: TreeCommand): void; ask(question: Question): Promise<unknown> }

const NOTHING: TreeState = {
  rowCount: 0,
  selected: 0,
  detail: { path: '$', kind: 'null' },
  progress: { share: undefined },
  attention: { count: 0, where: 'nearest' },
}

/** The lines of a document in the worker. The visible ones and some around them are kept here, others are requested. */
export class WorkerSource implements RowSource {
  #state = NOTHING
  #first = 0
  #rows: readonly JsonRow[] = []
  #shown = { first: 0, end: 0 }
  readonly #listeners = new Set<() => void>()

  constructor(readonly door: Door) {}

  /** Takes the worker's update. Unchanged parts stay the same objects, so that they are not rendered again. */
  take({ state, first, rows }: Frame): void {
    this.#rows = rows.map((row, at) => kept(this.rowAt(first + at), row))
    this.#first = first
    const { detail } = this.#state
    this.#set({ ...state, detail: state.detail ? kept(detail, state.detail) : detail })
  }

  /** Nothing more will arrive, for this reason. */
  fail(problem: string): void {
    const { progress: _, ...state } = this.#state
    this.#set({ ...state, problem })
  }

  subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }
  getState = (): TreeState => this.#state

  show(first: number, end: number): void {
    if (first === this.#shown.first && end === this.#shown.end) return
    this.#shown = { first, end }
    const isHere = first >= this.#first && Math.min(end, this.#state.rowCount) <= this.#first + this.#rows.length
    // Requests nothing well within the loaded lines, so that scrolling does not cause a request per line.
    const margin = (end - first) / 2
    const isInside =
      isHere &&
      (this.#first === 0 || first - this.#first > margin) &&
      (this.#first + this.#rows.length >= this.#state.rowCount || this.#first + this.#rows.length - end > margin)
    if (!isInside) this.door.command({ do: 'show', first, end })
  }

  rowAt(index: number): JsonRow | undefined {
    return this.#rows[index - this.#first]
  }

  select(index: number): void {
    // Shown at once, because the worker's response may wait behind others while a key is held down.
    this.#set({ ...this.#state, selected: Math.max(0, Math.min(index, this.#state.rowCount - 1)) })
    this.door.command({ do: 'select', index })
  }
  selectParent(): void {
    this.door.command({ do: 'selectParent' })
  }
  toggle(index: number): void {
    this.door.command({ do: 'toggle', index })
  }
  openBelow(rows: number): void {
    this.door.command({ do: 'openBelow', rows })
  }
  collapse(): void {
    this.door.command({ do: 'collapse' })
  }
  search(text: string): void {
    const search = text === '' ? undefined : { text, found: 0, isDone: false }
    this.#set({ ...this.#state, search })
    this.door.command({ do: 'search', text })
  }
  goToHit(hit: number): void {
    this.door.command({ do: 'goToHit', hit })
  }
  pathText(): Promise<string> {
    return this.door.ask({ kind: 'path' }) as Promise<string> // the response type follows from the request
  }
  valueText(): Promise<string> {
    return this.door.ask({ kind: 'value' }) as Promise<string>
  }
  valueBlob(): Promise<Blob> {
    return this.door.ask({ kind: 'blob' }) as Promise<Blob>
  }

  #set(state: TreeState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** The previous object if the next one is equal; both are flat. */
function kept<One extends JsonRow | JsonDetailData>(before: One | undefined, next: One): One {
  const keys = Object.keys(next) as (keyof One)[] // same keys, so same type
  return before && keys.every((key) => before[key] === next[key]) ? before : next
}
