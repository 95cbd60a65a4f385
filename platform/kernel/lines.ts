import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { activeTrace, sendLog } from './telemetry'

/** The rest of a longer line is dropped, so that endless output cannot fill the memory. */
const LONGEST = 64_000
/** How often a progress bar's state counts as a line. */
const PROGRESS_MS = 2000
// biome-ignore lint/suspicious/noControlCharactersInRegex: removes colours, cursor moves and window titles
const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: removes bells and backspaces too, but not tabs
const CONTROL = /[\u0001-\u0008\u000B-\u001F\u007F]/g

/**
 * Calls `onLine` for each non-empty line of a stream, without colours; a progress bar counts by its last state. Only
 * the beginning of an endless line is passed on, because a later piece could begin inside a value to be masked.
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
    // Text overwritten by a carriage return is dropped, except for a progress line now and then.
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

/** Prints lines of a program's log in the console's format (lib/server/process/log.ts): one JSON object each. */
export const logAs =
  (event: string) =>
  (message: string, level: 'info' | 'error' = 'info'): void => {
    const stream = level === 'error' ? process.stderr : process.stdout
    const fields = { ...activeTrace(), message }
    stream.write(`${JSON.stringify({ at: new Date(), level, event, ...fields })}\n`)
    sendLog({ level, event, fields })
  }
