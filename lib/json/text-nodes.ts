import type { TextIndex } from './text-index'
import type { Nodes } from './tree-model'
import { type JsonKind, previewOf } from './value'

/** Parts of an indexed text by their offsets, for display: keys and values as written, truncated if long. */
export class TextNodes implements Nodes<number> {
  readonly #decoder = new TextDecoder()

  constructor(readonly index: TextIndex) {}

  isContainer(at: number): boolean {
    return this.index.isContainer(at)
  }

  size(at: number): number {
    return this.index.size(at)
  }

  isWhole(at: number): boolean {
    return this.index.isClosed(at)
  }

  child(at: number, position: number): number {
    return this.index.valueOf(at, this.index.childAt(at, position))
  }

  keyAt(at: number, position: number): string | number {
    return this.index.isList(at) ? position : this.stringAt(this.index.childAt(at, position))
  }

  find(at: number, key: string | number): number | undefined {
    const size = this.size(at)
    if (this.index.isList(at)) return typeof key === 'number' && key < size ? key : undefined
    for (let position = 0; position < size; position++) if (this.keyAt(at, position) === key) return position
    return undefined
  }

  kindOf(at: number): JsonKind {
    switch (this.index.bytes[at]) {
      case 123:
        return 'object'
      case 91:
        return 'array'
      case 34:
        return 'string'
      case 116:
      case 102:
        return 'boolean'
      case 110:
        return 'null'
      default:
        return 'number'
    }
  }

  /** The original text of a value. */
  rawAt(at: number, end = this.index.endOf(at)): string {
    return this.#decoder.decode(this.index.bytes.subarray(at, end))
  }

  /** The complete string at an offset, including lone surrogates. */
  stringAt(at: number): string {
    return this.#unescaped(this.rawAt(at))
  }

  /** The beginning of the string at an offset, and whether it is all of it. */
  beginningOf(at: number, characters: number): { text: string; isAll: boolean } {
    const { bytes, length } = this.index
    let end = at + 1
    for (let count = 0; count < characters && end < length && bytes[end] !== 34; count++) {
      const code = bytes[end] as number
      // Never cut within an escape or a multi-byte character.
      if (code === 92) end += bytes[end + 1] === 117 ? 6 : 2
      else end += code < 0x80 ? 1 : code < 0xe0 ? 2 : code < 0xf0 ? 3 : 4
    }
    const isAll = end < length && bytes[end] === 34
    return { text: this.#unescaped(`${this.rawAt(at, Math.min(end, length))}"`), isAll }
  }

  /** A scalar as JSON; strings are truncated to `limit` characters. */
  scalarText(at: number, limit: number): string {
    if (this.kindOf(at) === 'string') {
      const { text, isAll } = this.beginningOf(at, limit)
      return isAll ? JSON.stringify(text) : `${JSON.stringify(text).slice(0, -1)}…`
    }
    const { completeLength, isWhole } = this.index
    const end = this.index.endOf(at)
    // The rest of the number may not have arrived.
    if (!isWhole && end > completeLength) return '…'
    return end - at > limit ? `${this.rawAt(at, at + limit)}…` : this.rawAt(at, end)
  }

  /** A short text for a collapsed container. */
  previewText(at: number): string {
    const { index } = this
    return previewOf(index.isList(at), index.size(at), 90, (position) => {
      const child = index.childAt(at, position)
      const value = index.valueOf(at, child)
      const key = index.isList(at) ? position : this.beginningOf(child, 90).text
      if (!index.isContainer(value)) return [key, this.scalarText(value, 32)]
      return [key, index.isList(value) ? `[${index.size(value)}]` : '{…}']
    })
  }

  #unescaped(quoted: string): string {
    try {
      return JSON.parse(quoted) as string // it is a JSON string, or the parser throws
    } catch {
      return quoted.slice(1, -1) // it has a character that JSON does not allow there, so it is shown unchanged
    }
  }
}
