import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A program that never ends its line must not fill the memory. */
const LONGEST = 64_000
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours and cursor moves are what is removed
const ANSI = /\u001B\[[0-9;?]*[ -/]*[@-~]/g

/** Calls `onLine` for each line of a stream, without colours and the empty ones; a progress bar counts by its last state. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const emit = (raw: string) => {
    const line = raw.replace(ANSI, '').replace(/\r+$/, '').replace(/^.*\r/s, '').trimEnd()
    if (line) onLine(line)
  }
  stream.on('data', (bytes: Buffer) => {
    rest += decoder.write(bytes)
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      emit(rest.slice(0, end))
      rest = rest.slice(end + 1)
    }
    if (rest.length > LONGEST) {
      emit(rest)
      rest = ''
    }
  })
  stream.on('end', () => emit(rest + decoder.end()))
  stream.on('error', () => {})
}
