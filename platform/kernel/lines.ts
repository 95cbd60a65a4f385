import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A program that never ends its line must not fill the memory: what is beyond this is left out. */
const LONGEST = 64_000
/** How often the state of a progress bar counts as a line, while it goes on. */
const PROGRESS_MS = 2000
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours, cursor moves and window titles are what is removed
const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: bells and backspaces as well; a tab stays
const CONTROL = /[\u0001-\u0008\u000B-\u001F\u007F]/g

/**
 * Calls `onLine` for each line of a stream, without colours and the empty ones; a progress bar counts by its last state.
 * Of a line without an end only the beginning is given: a second piece could begin inside a value that is to be hidden.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let isCut = false
  let saidAt = Date.now()
  const emit = (raw: string) => {
    saidAt = Date.now()
    const state = raw.replace(/[\r\n]+$/, '').replace(/^.*\r/s, '')
    const line = state.replace(ANSI, '').replace(CONTROL, '').trimEnd()
    if (line) onLine(line)
  }
  stream.on('data', (bytes: Buffer) => {
    const text = rest + decoder.write(bytes)
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (!isCut) emit(text.slice(start, end))
      isCut = false
      start = end + 1
    }
    rest = text.slice(start)
    // What a carriage return overwrote is not needed any more, but for a look at it now and then.
    const overwritten = rest.lastIndexOf('\r', rest.length - 2)
    if (overwritten >= 0) {
      if (Date.now() - saidAt > PROGRESS_MS && !isCut) emit(rest.slice(0, overwritten))
      rest = rest.slice(overwritten + 1)
      isCut = false
    }
    if (rest.length > LONGEST) {
      if (!isCut) emit(`${rest.slice(0, LONGEST)} … (line cut)`)
      isCut = true
      rest = ''
    }
  })
  stream.on('end', () => {
    if (!isCut) emit(rest + decoder.end())
  })
  stream.on('error', () => {})
}
