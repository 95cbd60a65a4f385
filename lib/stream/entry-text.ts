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

/** Control characters, and halves of a character that UTF-8 cannot hold. */
const ODD = /[\p{Cc}\p{Cs}]/u
const isPlain = (text: string): boolean => !ODD.test(text)

export function encodeEntry(seq: number, entry: NewEntry): string {
  if (entry.kind === 'event') {
    const { at, event, id, data } = entry
    if (isPlain(data) && isPlain(event) && (id === undefined || (id !== '' && isPlain(id))))
      return `${ENTRY}${seq}${FIELD}${at}${FIELD}${event}${FIELD}${id ?? ''}${FIELD}${data}`
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
  // What repeats from entry to entry is compared and not read anew; the same string for all also takes no room.
  let name = ''
  let time = ''
  let at = 0
  for (let start = 0; start < text.length; ) {
    if (text.charCodeAt(start) === ENTRY_CODE) start++
    const next = text.indexOf(ENTRY, start)
    const end = next === -1 ? text.length : next - 1 // before the comma
    if (text.charCodeAt(start) === BRACE_CODE)
      for (const entry of JSON.parse(`[${text.slice(start, end)}]`) as LogEntry[]) entries.push(entry)
    else {
      const seqEnd = text.indexOf(FIELD, start)
      if (!isField(text, time, seqEnd + 1)) {
        time = text.slice(seqEnd + 1, text.indexOf(FIELD, seqEnd + 1))
        at = Number(time)
      }
      const nameStart = seqEnd + time.length + 2
      if (!isField(text, name, nameStart)) name = text.slice(nameStart, text.indexOf(FIELD, nameStart))
      const idStart = nameStart + name.length + 1
      const idEnd = text.indexOf(FIELD, idStart)
      const seq = Number(text.slice(start, seqEnd))
      const data = text.slice(idEnd + 1, end)
      entries.push(
        idEnd === idStart
          ? { seq, at, kind: 'event', event: name, data }
          : { seq, at, kind: 'event', event: name, id: text.slice(idStart, idEnd), data },
      )
    }
    start = next === -1 ? text.length : next
  }
  return entries
}

const isField = (text: string, field: string, at: number): boolean =>
  text.charCodeAt(at + field.length) === FIELD_CODE && text.startsWith(field, at)
