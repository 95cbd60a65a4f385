import { type Difference, shortJson } from '@/lib/json/difference'
import { isContainer, jsonText, pathText, previewText, scalarText } from './value'

/** One difference as a line: its place, and a short description. */
export type DifferenceLine = { kind: Difference['kind']; path: string; text: string }
export type DifferenceFrame = { count: number; first: number; lines: DifferenceLine[]; problem?: string }
/** A value before or after: absent, short enough for text, or shown as a tree. */
export type DifferenceSide = undefined | { text: string } | { value: unknown }

/** Larger values are shown as a tree, which copies nothing. */
export const MOST_SIDE_TEXT = 4_000
const MARGIN = 40

/** Differences for display, computed in the page or in a worker that sends the visible lines. */
export class ValueDifferences {
  constructor(readonly differences: readonly Difference[]) {}

  get count(): number {
    return this.differences.length
  }

  lineAt(index: number): DifferenceLine | undefined {
    const one = this.differences[index]
    if (!one) return undefined
    const { kind, path, from, old, now } = one
    const text = {
      moved: () => `from ${pathText(from ?? path)}`,
      changed: () => `${brief(old)} → ${brief(now)}`,
      added: () => brief(now),
      removed: () => brief(old),
    }[kind]()
    return { kind, path: pathText(path), text }
  }

  side(index: number, side: 'old' | 'now'): DifferenceSide {
    const one = this.differences[index]
    if (!one || one.kind === (side === 'old' ? 'added' : 'removed')) return undefined
    const value = one[side]
    if (typeof value === 'string') return { text: value }
    if (isContainer(value) && shortJson(value, MOST_SIDE_TEXT) === undefined) return { value }
    return { text: jsonText(value) }
  }

  frame(from: number, to: number): DifferenceFrame {
    const first = Math.max(0, from - MARGIN)
    const end = Math.min(this.count, to + MARGIN)
    const lines = Array.from({ length: Math.max(0, end - first) }, (_, at) => this.lineAt(first + at))
    return { count: this.count, first, lines: lines.flatMap((line) => line ?? []) }
  }
}

const brief = (value: unknown): string => (isContainer(value) ? previewText(value, 60) : scalarText(value, 60))
