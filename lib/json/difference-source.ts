import type { Difference } from '@/lib/json/difference'
import type { LargeJson } from './large-json'
import { RemoteDocument } from './remote-document'
import type { RowSource } from './row-source'
import type { DifferenceFrame, DifferenceLine } from './value-differences'
import { ValueDifferences } from './value-differences'
import { WorkerSource } from './worker-source'

/** One side of a difference. Call `release` when it is no longer shown. */
export type ShownSide = { text?: string; value?: unknown; source?: RowSource; release?: () => void } | undefined

/** Supplies a list of differences. `count` is undefined until they are known. */
export interface DifferenceSource {
  subscribe(onChange: () => void): () => void
  getState(): { count: number | undefined; problem?: string }
  show(first: number, end: number): void
  lineAt(index: number): DifferenceLine | undefined
  side(index: number, side: 'old' | 'now'): ShownSide | Promise<ShownSide>
}

/** Differences of values in memory. */
export function differenceSource(differences: readonly Difference[]): DifferenceSource {
  const found = new ValueDifferences(differences)
  const state = { count: found.count }
  return {
    subscribe: () => () => {},
    getState: () => state,
    show: () => {},
    lineAt: (index) => found.lineAt(index),
    side: (index, side) => found.side(index, side),
  }
}

/** Differences between two complete documents of the worker. The caller that creates it must release it. */
export class LargeDifferences implements DifferenceSource {
  #state: { count: number | undefined; problem?: string } = { count: undefined }
  #frame: DifferenceFrame = { count: 0, first: 0, lines: [] }
  readonly #listeners = new Set<() => void>()
  readonly #remote: RemoteDocument

  constructor(old: LargeJson, now: LargeJson) {
    this.#remote = new RemoteDocument(
      (message) => {
        if ('differences' in message) this.#take(message.differences)
      },
      (problem) => this.#take({ count: 0, first: 0, lines: [], problem }),
    )
    this.#remote.send({ compare: [old.name, now.name] })
  }

  release(): void {
    this.#remote.release()
  }
  subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }
  getState = () => this.#state

  show(first: number, end: number): void {
    const { first: from, lines, count } = this.#frame
    if (first < from || Math.min(end, count) > from + lines.length) this.#remote.send({ show: { first, end } })
  }
  lineAt(index: number): DifferenceLine | undefined {
    return this.#frame.lines[index - this.#frame.first]
  }

  async side(index: number, side: 'old' | 'now'): Promise<ShownSide> {
    const tree = new RemoteDocument(
      (message) => {
        if ('frame' in message) source.take(message.frame)
      },
      () => {},
    )
    const source = new WorkerSource({
      command: (command) => tree.send({ command }),
      ask: (question) => tree.ask(question),
    })
    const found = (await this.#remote.ask({ kind: 'side', index, side, tree: tree.name })) as
      | { text: string }
      | { tree: number }
      | undefined // the response type follows from the request
    if (found && 'tree' in found) return { source, release: () => tree.release() }
    tree.release()
    return found
  }

  #take(frame: DifferenceFrame): void {
    this.#frame = frame
    this.#state = { count: frame.count, ...(frame.problem !== undefined && { problem: frame.problem }) }
    for (const listener of this.#listeners) listener()
  }
}
