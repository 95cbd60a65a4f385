import { differencesOf } from '@/lib/json/difference'
import { parseJson, printJson } from '@/lib/json/lossless'
import { type Frame, TextDocument, type TreeCommand } from './text-document'
import { type DifferenceFrame, ValueDifferences } from './value-differences'

/** Messages of the page. `to` names a document; the page chooses the name when it opens one. */
export type ToWorker = { to: number } & (
  | { open: { under?: string; from?: number; expected?: number } }
  | { bytes: Uint8Array<ArrayBuffer> }
  | { end: true; problem?: string }
  | { command: TreeCommand }
  | { compare: readonly [old: number, now: number] }
  | { show: { first: number; end: number } }
  | { ask: number; question: Question }
  | { close: true }
)
export type Question =
  | { kind: 'path' | 'value' | 'blob' }
  | { kind: 'members'; most: number }
  | { kind: 'newest'; key: string; most: number }
  /** The side of a difference; one too large for text becomes the document `tree`. */
  | { kind: 'side'; index: number; side: 'old' | 'now'; tree: number }

/** Messages of the worker; `of` names the document. */
export type FromWorker = { of: number } & (
  | { frame: Frame }
  | { head: string; isWhole: boolean }
  | { differences: DifferenceFrame }
  | { response: number; value: unknown }
  | { response: number; problem: string }
)

const SLICE_MS = 8
const SLICE_BYTES = 128 * 1024
/** Shortest time between two updates to the page while a text arrives. */
const FRAME_MS = 60

type Held = {
  document: TextDocument
  /** When the page was last updated. */
  toldAt: number
  hasStarted: boolean
  isDue: boolean
  isSearching: boolean
  hasMore: boolean
}

/** The worker's program, without the worker: named documents, which take turns. */
export class WorkerProgram {
  readonly #documents = new Map<number, Held>()
  readonly #comparisons = new Map<number, ValueDifferences>()
  readonly #turns = new MessageChannel()
  #isTurning = false

  constructor(readonly post: (message: FromWorker) => void) {
    this.#turns.port1.onmessage = () => this.#turn()
  }

  take(message: ToWorker): void {
    const { to } = message
    const held = this.#documents.get(to)
    if ('open' in message) {
      const { under, from, expected } = message.open
      const before = from === undefined ? undefined : this.#documents.get(from)?.document
      this.#hold(to, new TextDocument({ under, from: before, expected }))
    } else if ('close' in message) {
      this.#documents.delete(to)
      this.#comparisons.delete(to)
    } else if ('compare' in message) this.#compare(to, message.compare)
    else if ('show' in message) this.#tellDifferences(to, message.show)
    else if ('ask' in message) this.#respond(to, message.ask, message.question)
    else if (!held) return
    else if ('command' in message) {
      held.document.run(message.command)
      held.isDue = true
      held.isSearching ||= message.command.do === 'search'
      // A user's action is reported at once, before other work.
      this.#tell(to, held)
      this.#wake()
    } else {
      if ('bytes' in message) held.document.index.add(message.bytes)
      else held.document.index.end(message.problem)
      held.hasMore = true
      this.#wake()
    }
  }

  #hold(name: number, document: TextDocument): Held {
    const held = { document, toldAt: -FRAME_MS, hasStarted: false, isDue: false, isSearching: false, hasMore: false }
    this.#documents.set(name, held)
    return held
  }

  #wake(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    this.#turns.port2.postMessage(null) // not a timer, because nested ones wait four milliseconds each
  }

  /** One slice of work for each document that has some; the page's messages come in between. */
  #turn(): void {
    this.#isTurning = false
    for (const [name, held] of this.#documents) {
      const { document } = held
      const until = performance.now() + SLICE_MS
      const wasWhole = document.index.isWhole
      while (held.hasMore && performance.now() < until) {
        held.hasMore = document.advance(SLICE_BYTES)
        held.isDue = true
        if (!held.hasStarted && document.root !== undefined) {
          held.hasStarted = true
          held.toldAt = -FRAME_MS
          this.post({ of: name, head: document.head, isWhole: document.index.isWhole })
          break
        }
      }
      const isWhole = document.index.isWhole
      if (isWhole && !wasWhole) this.post({ of: name, head: document.head, isWhole })
      if (held.isSearching) {
        held.isSearching = document.searchOn(SLICE_MS) || !isWhole
        held.isDue = true
      }
      const canWait = (held.hasMore || held.isSearching) && performance.now() - held.toldAt < FRAME_MS
      if (held.isDue && !canWait) this.#tell(name, held)
      if (held.hasMore || (held.isSearching && isWhole)) this.#wake()
    }
  }

  #tell(of: number, held: Held): void {
    if (held.document.root === undefined && !held.document.index.isWhole) return
    held.isDue = false
    held.toldAt = performance.now()
    this.post({ of, frame: held.document.frame() })
  }

  #respond(of: number, response: number, question: Question): void {
    try {
      this.post({ of, response, value: this.#read(of, question) })
    } catch (error) {
      this.post({ of, response, problem: error instanceof Error ? error.message : String(error) })
    }
  }

  #read(of: number, question: Question): unknown {
    if (question.kind === 'side') {
      const { index, side, tree } = question
      const found = this.#comparisons.get(of)?.side(index, side)
      if (!found || !('value' in found)) return found
      const text = this.#hold(tree, new TextDocument({}))
      text.document.index.add(new TextEncoder().encode(printJson(found.value)))
      text.document.index.end()
      text.hasMore = true
      this.#wake()
      return { tree }
    }
    const document = this.#documents.get(of)?.document
    if (!document) throw new Error('It no longer exists.')
    switch (question.kind) {
      case 'path':
        return document.pathText()
      case 'value':
        return document.valueText()
      case 'blob':
        return document.valueBlob()
      case 'members':
        return document.members(question.most)
      case 'newest':
        return document.newest(question.key, question.most)
    }
  }

  #compare(of: number, names: readonly [number, number]): void {
    try {
      const [old, now] = names.map((name) => {
        const document = this.#documents.get(name)?.document
        const root = document?.root
        return document && root !== undefined ? parseJson(document.nodes.rawAt(root)) : undefined
      })
      this.#comparisons.set(of, new ValueDifferences(differencesOf(old, now)))
      this.#tellDifferences(of, { first: 0, end: 40 })
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      this.post({ of, differences: { count: 0, first: 0, lines: [], problem } })
    }
  }

  #tellDifferences(of: number, { first, end }: { first: number; end: number }): void {
    const found = this.#comparisons.get(of)
    if (found) this.post({ of, differences: found.frame(first, end) })
  }
}
