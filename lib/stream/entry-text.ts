import type { LogEntry } from './log'

/** An entry without its number, which the log assigns. */
export type NewEntry = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'seq'> : never) : never

/**
 * The form of an entry in the store and in frames: an event is its fields between separators that JSON text cannot
 * contain, without those that follow from the event before, so nothing is escaped or parsed. Other entries, and events
 * with control characters, are JSON, as in old logs.
 */
const ENTRY = '\u001e'
const FIELD = '\u001f'
/** What a shortened entry begins with. */
const SHORT = `${ENTRY}${FIELD}${FIELD}`
/** Precedes each entry, except in old logs. */
export const ENTRY_CODE = 30
/** Separates fields, and follows the mark of a shortened entry. */
export const FIELD_CODE = 31
const BRACE_CODE = 123

const CONTROL = /\p{Cc}/u
/** No control characters, and no lone surrogates, which UTF-8 cannot hold. */
const isPlain = (text: string): boolean => !CONTROL.test(text) && text.isWellFormed()

/** An id as a number if it is a canonical number. */
const idOf = (text: string): number | string => {
  const number = Number(text)
  return Number.isSafeInteger(number) && String(number) === text ? number : text
}

/** Prints the entries of one text, in order. */
export class EntryPrinter {
  // Of the previous event; NaN if there is none or it is JSON.
  #at = Number.NaN
  #event = ''
  #id = 0
  /** The id that can be left out; undefined if the previous event has none, null if none can. */
  #next: string | undefined | null

  /** Starts another text, whose first entry is never shortened. */
  begin(): void {
    this.#at = Number.NaN
  }

  print(seq: number, entry: NewEntry): string {
    if (entry.kind === 'event' && isPlain(entry.data)) {
      const { at, event, id, data } = entry
      const isAlike = at === this.#at && event === this.#event
      if (isAlike && id === this.#next) {
        if (id !== undefined) this.#next = String(++this.#id + 1)
        return `${SHORT}${data}`
      }
      if ((isAlike || isPlain(event)) && (id === undefined || (id !== '' && isPlain(id)))) {
        this.#note(at, event, id)
        const before = isAlike && id !== undefined ? '' : `${seq}${FIELD}${at}${FIELD}${event}`
        return `${ENTRY}${before}${FIELD}${id ?? ''}${FIELD}${data}`
      }
    }
    this.begin()
    return `${ENTRY}{"seq":${seq},${JSON.stringify(entry).slice(1)}`
  }

  #note(at: number, event: string, id: string | undefined): void {
    this.#at = at
    this.#event = event
    const known = id === undefined ? undefined : idOf(id)
    if (typeof known === 'number') this.#id = known
    this.#next = typeof known === 'number' ? String(known + 1) : known === undefined ? undefined : null
  }
}

/** A text of entries, numbered from `first`. */
export function encodeEntries(first: number, entries: readonly NewEntry[]): string {
  const printer = new EntryPrinter()
  return entries.map((entry, index) => printer.print(first + index, entry)).join(',')
}

/** The entries of a text in order. */
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

/** Decodes events from their fields, each with the help of the previous one. */
class EventReader {
  readonly #text: string
  #seq = 0
  #id: number | string | undefined
  // Repeated names are the same string, which saves memory.
  #name = ''
  #time = ''
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Decodes the event between its mark and its end. */
  read(start: number, end: number): LogEntry {
    const data = this.#text.slice(this.goTo(start), end)
    const [seq, at, event, id] = [this.#seq, this.#at, this.#name, this.#id]
    return id === undefined
      ? { seq, at, kind: 'event', event, data }
      : { seq, at, kind: 'event', event, id: String(id), data }
  }

  /** Reads everything except the data of the event after a mark; returns where the data begins. */
  goTo(start: number): number {
    const text = this.#text
    let idStart = start + 1
    if (text.charCodeAt(start) === FIELD_CODE) this.#seq++
    else {
      const seqEnd = text.indexOf(FIELD, start)
      this.#seq = Number(text.slice(start, seqEnd))
      if (!isField(text, this.#time, seqEnd + 1)) {
        this.#time = text.slice(seqEnd + 1, text.indexOf(FIELD, seqEnd + 1))
        this.#at = Number(this.#time)
      }
      const nameStart = seqEnd + this.#time.length + 2
      if (!isField(text, this.#name, nameStart)) this.#name = text.slice(nameStart, text.indexOf(FIELD, nameStart))
      idStart = nameStart + this.#name.length + 1
      this.#id = undefined
    }
    if (text.charCodeAt(idStart) === FIELD_CODE) {
      if (typeof this.#id === 'number') this.#id++
      return idStart + 1
    }
    const idEnd = text.indexOf(FIELD, idStart)
    this.#id = idOf(text.slice(idStart, idEnd))
    return idEnd + 1
  }
}

const isField = (text: string, field: string, at: number): boolean =>
  text.charCodeAt(at + field.length) === FIELD_CODE && text.startsWith(field, at)

/** Consecutively numbered entries. Arrays qualify too. */
export type Entries = Iterable<LogEntry> & { readonly length: number; at(index: number): LogEntry | undefined }

/** Fewer entries are cheaper to decode than to keep as text. */
const FEW = 32

/**
 * The same entries as `decodeEntries`. Many stay text and are decoded on access, because a page shows only forty of a
 * burst.
 */
export function readEntries(text: string): Entries {
  const starts: number[] = []
  if (text.charCodeAt(0) === ENTRY_CODE)
    for (let at = 0; at !== -1; at = text.indexOf(ENTRY, at + 1)) starts.push(at + 1)
  if (starts.length < FEW) return decodeEntries(text)
  const entries = new TextEntries(text, starts)
  return entries.at(-1)?.seq === entries.first + entries.length - 1 ? entries : decodeEntries(text)
}

/** The entries numbered above `seq`. */
export const entriesAfter = (entries: Entries, seq: number): Entries =>
  entries instanceof TextEntries ? entries.after(seq) : [...entries].filter((entry) => entry.seq > seq)

/** Made by `readEntries`. */
export class TextEntries implements Entries {
  /** Number of the first entry. */
  readonly first: number
  readonly #text: string
  readonly #starts: readonly number[]
  /** Index of the first entry in `starts`. */
  readonly #from: number
  readonly #reader: EventReader
  /** Index in `starts` of the entry decoded last. */
  #read = -2

  constructor(text: string, starts: readonly number[], from = 0) {
    this.#text = text
    this.#starts = starts
    this.#from = from
    this.#reader = new EventReader(text)
    this.first = this.at(0)?.seq ?? 0
  }

  get length(): number {
    return this.#starts.length - this.#from
  }

  /** Total length in characters. */
  get size(): number {
    return this.#text.length - (this.#starts[this.#from] ?? 0)
  }

  at(index: number): LogEntry | undefined {
    const place = this.#from + (index < 0 ? this.length + index : index)
    const start = place < this.#from ? undefined : this.#starts[place]
    if (start === undefined) return undefined
    const next = this.#starts[place + 1]
    const end = next === undefined ? this.#text.length : next - 2 // before mark and comma
    if (this.#text.charCodeAt(start) === BRACE_CODE) return JSON.parse(this.#text.slice(start, end))
    this.#goBefore(place)
    return this.#reader.read(start, end)
  }

  *[Symbol.iterator](): Generator<LogEntry> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as LogEntry // within its length
  }

  /** The entries numbered above `seq`. */
  after(seq: number): TextEntries {
    const passed = Math.max(0, seq + 1 - this.first)
    return new TextEntries(this.#text, this.#starts, Math.min(this.#from + passed, this.#starts.length))
  }

  /** Where the run of events with this name after `index` ends, `most` of them at most. Decodes none of them. */
  endOf(event: string, index: number, most: number): number {
    const text = this.#text
    const field = `${FIELD}${event}${FIELD}`
    const until = Math.min(this.length, index + most)
    for (let at = index + 1; at < until; at++) {
      const start = this.#starts[this.#from + at] as number // within its length
      const code = text.charCodeAt(start)
      if (code === FIELD_CODE) continue
      if (code === BRACE_CODE || !text.startsWith(field, text.indexOf(FIELD, text.indexOf(FIELD, start) + 1))) return at
    }
    return until
  }

  /** Moves the reader to the previous entry: from the one decoded last, or from the last one that is not shortened. */
  #goBefore(place: number): void {
    let from = place
    while (from !== this.#read + 1 && this.#text.charCodeAt(this.#starts[from] as number) === FIELD_CODE) from--
    for (; from < place; from++) this.#reader.goTo(this.#starts[from] as number)
    this.#read = place
  }
}
