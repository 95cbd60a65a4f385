import type { LogEntry } from './log'

/** An entry without its number: the log gives it. */
export type NewEntry = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'seq'> : never) : never

/**
 * How an entry stands in the store and in a frame; entries are joined by commas. An event is its fields as they came,
 * between separators that no JSON text holds: nothing is escaped, so that a burst is neither printed nor parsed event by
 * event. What cannot stand so (a control character in it), and all other entries, are JSON. Logs of before have JSON alone.
 */
const ENTRY = '\u001e'
const FIELD = '\u001f'
const ENTRY_CODE = 30
const FIELD_CODE = 31
const BRACE_CODE = 123

const CONTROL = /\p{Cc}/u
/** No control characters, and no halves of a character, which UTF-8 cannot hold. */
const isPlain = (text: string): boolean => !CONTROL.test(text) && text.isWellFormed()

/** What repeats from event to event is printed once; no text where it cannot stand so. */
let printed: { at: number; event: string; text: string | undefined } = { at: Number.NaN, event: '', text: undefined }

export function encodeEntry(seq: number, entry: NewEntry): string {
  if (entry.kind === 'event') {
    const { at, event, id, data } = entry
    if (printed.at !== at || printed.event !== event)
      printed = { at, event, text: isPlain(event) ? `${FIELD}${at}${FIELD}${event}${FIELD}` : undefined }
    if (printed.text !== undefined && isPlain(data) && (id === undefined || (id !== '' && isPlain(id))))
      return `${ENTRY}${seq}${printed.text}${id ?? ''}${FIELD}${data}`
  }
  return `${ENTRY}{"seq":${seq},${JSON.stringify(entry).slice(1)}`
}

/** Texts of which one stands where the entry begins, the likeliest first: look for them in this order. */
export const entryStarts = (seq: number): readonly string[] => [
  `${ENTRY}${seq}${FIELD}`,
  `${ENTRY}{"seq":${seq},`,
  `{"seq":${seq},`, // of before: within JSON a quote is always escaped, and what is not JSON comes behind
]

/** The entries of a text in their order. */
export function decodeEntries(text: string): LogEntry[] {
  const entries: LogEntry[] = []
  const reader = new EventReader(text)
  for (let start = 0; start < text.length; ) {
    if (text.charCodeAt(start) === ENTRY_CODE) start++
    const next = text.indexOf(ENTRY, start)
    const end = next === -1 ? text.length : next - 1 // before the comma
    if (text.charCodeAt(start) === BRACE_CODE)
      for (const entry of JSON.parse(`[${text.slice(start, end)}]`) as LogEntry[]) entries.push(entry)
    else entries.push(reader.read(start, end))
    start = next === -1 ? text.length : next
  }
  return entries
}

/** Reads events that stand as fields in a text. */
class EventReader {
  readonly #text: string
  // What repeats from entry to entry is compared and not read anew; the same string for all also takes no room.
  #name = ''
  #time = ''
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The event between its mark and its end. */
  read(start: number, end: number): LogEntry {
    const text = this.#text
    const seqEnd = text.indexOf(FIELD, start)
    if (!isField(text, this.#time, seqEnd + 1)) {
      this.#time = text.slice(seqEnd + 1, text.indexOf(FIELD, seqEnd + 1))
      this.#at = Number(this.#time)
    }
    const nameStart = seqEnd + this.#time.length + 2
    if (!isField(text, this.#name, nameStart)) this.#name = text.slice(nameStart, text.indexOf(FIELD, nameStart))
    const idStart = nameStart + this.#name.length + 1
    const idEnd = text.indexOf(FIELD, idStart)
    const seq = Number(text.slice(start, seqEnd))
    const data = text.slice(idEnd + 1, end)
    const [at, event] = [this.#at, this.#name]
    return idEnd === idStart
      ? { seq, at, kind: 'event', event, data }
      : { seq, at, kind: 'event', event, id: text.slice(idStart, idEnd), data }
  }
}

const isField = (text: string, field: string, at: number): boolean =>
  text.charCodeAt(at + field.length) === FIELD_CODE && text.startsWith(field, at)

/** Entries in their order, each numbered one above the one before it. An array is such a list too. */
export type Entries = Iterable<LogEntry> & { readonly length: number; at(index: number): LogEntry | undefined }

/** Fewer are cheaper read than kept as text. */
const FEW = 32

/**
 * The entries of a text in their order, as `decodeEntries` gives them. Many are left as the text that they are, each read
 * when somebody looks at it: of a burst a page shows forty.
 */
export function readEntries(text: string): Entries {
  const starts: number[] = []
  if (text.charCodeAt(0) === ENTRY_CODE)
    for (let at = 0; at !== -1; at = text.indexOf(ENTRY, at + 1)) starts.push(at + 1)
  if (starts.length < FEW) return decodeEntries(text)
  const entries = new TextEntries(text, starts)
  return entries.at(-1)?.seq === entries.first + entries.length - 1 ? entries : decodeEntries(text)
}

/** Those numbered above `seq`. */
export const entriesAfter = (entries: Entries, seq: number): Entries =>
  entries instanceof TextEntries ? entries.after(seq) : [...entries].filter((entry) => entry.seq > seq)

/** Made by `readEntries`. */
export class TextEntries implements Entries {
  /** Number of the first entry. */
  readonly first: number
  readonly #text: string
  readonly #starts: readonly number[]
  readonly #reader: EventReader

  constructor(text: string, starts: readonly number[]) {
    this.#text = text
    this.#starts = starts
    this.#reader = new EventReader(text)
    this.first = this.at(0)?.seq ?? 0
  }

  get length(): number {
    return this.#starts.length
  }

  /** Characters of all of them. */
  get size(): number {
    return this.#text.length - (this.#starts[0] ?? 0)
  }

  at(index: number): LogEntry | undefined {
    const place = index < 0 ? this.length + index : index
    const start = this.#starts[place]
    if (start === undefined) return undefined
    const next = this.#starts[place + 1]
    const end = next === undefined ? this.#text.length : next - 2 // before mark and comma
    if (this.#text.charCodeAt(start) === BRACE_CODE) return JSON.parse(this.#text.slice(start, end))
    return this.#reader.read(start, end)
  }

  *[Symbol.iterator](): Generator<LogEntry> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as LogEntry // within its length
  }

  /** Those numbered above `seq`. */
  after(seq: number): TextEntries {
    return new TextEntries(this.#text, this.#starts.slice(Math.max(0, seq + 1 - this.first)))
  }

  /** Where the events of the same name that follow the one at `index` end, `most` of them at most. Reads none of them. */
  endOf(event: string, index: number, most: number): number {
    const text = this.#text
    const field = `${FIELD}${event}${FIELD}`
    const until = Math.min(this.length, index + most)
    // The name stands behind number and time, which never get shorter and seldom longer: where it stood before, no other
    // field can stand.
    let offset = 0
    for (let at = index + 1; at < until; at++) {
      const start = this.#starts[at] as number // within its length
      if (offset > 0 && text.startsWith(field, start + offset)) continue
      if (text.charCodeAt(start) === BRACE_CODE) return at
      offset = text.indexOf(FIELD, text.indexOf(FIELD, start) + 1) - start
      if (!text.startsWith(field, start + offset)) return at
    }
    return until
  }
}
