import { isRecord } from '@/lib/json/guards'
import type { LogEntry, RecordingSummary } from './log'

/**
 * A recording as JSON Lines: a header, the log's entries, and a last line that shows the file is complete. An event's
 * data stays the text that came.
 */
export type FileHeader = {
  format: 'pilothouse-recording'
  version: 1
  exportedAt: string
  recording: RecordingSummary
}
const FORMAT = 'pilothouse-recording'

export const headerLine = (recording: RecordingSummary, exportedAt: string): string =>
  `${JSON.stringify({ format: FORMAT, version: 1, exportedAt, recording } satisfies FileHeader)}\n`
export const entryLine = (entry: LogEntry): string => `${JSON.stringify(entry)}\n`
export const endLine = (entries: number): string => `${JSON.stringify({ end: true, entries })}\n`

/** Why a file cannot be shown, in words for users. */
export class RecordingFileError extends Error {
  override name = 'RecordingFileError'
}

/** A longer line cannot belong to a recording. */
const MAX_LINE = 512 * 1024 * 1024

/** Reads a file in pieces; throws RecordingFileError if it is not a recording. */
export class RecordingFileReader {
  header: FileHeader | undefined
  /** The file has its last line. */
  isWhole = false
  entries = 0
  #line = 0
  #rest: string[] = []
  #restLength = 0

  /** Adds text and returns the entries that it completes. */
  push(piece: string): LogEntry[] {
    const found: LogEntry[] = []
    let from = 0
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      const line = this.#rest.join('') + piece.slice(from, end)
      this.#rest = []
      this.#restLength = 0
      from = end + 1
      const entry = this.#read(line)
      if (entry) found.push(entry)
    }
    if (from < piece.length) {
      this.#rest.push(piece.slice(from))
      this.#restLength += piece.length - from
      if (this.#restLength > MAX_LINE)
        throw new RecordingFileError('This is not a recording: it has a line that does not end.')
      // Rejects other files at their first bytes instead of reading all of them.
      if (!this.header && this.#restLength > 65_536 && !this.#rest[0]?.startsWith('{'))
        throw new RecordingFileError(NOT_ONE)
    }
    return found
  }

  /** Ends the file; returns the entry of a last line without a line break. */
  end(): LogEntry[] {
    const rest = this.#rest.join('')
    this.#rest = []
    let last: LogEntry | undefined
    try {
      last = rest.trim() === '' ? undefined : this.#read(rest)
    } catch (error) {
      // Truncated within a line: what came before is shown.
      if (!this.header) throw error
    }
    if (!this.header) throw new RecordingFileError(NOT_ONE)
    return last ? [last] : []
  }

  #read(line: string): LogEntry | undefined {
    this.#line++
    if (line.trim() === '' || this.isWhole) return undefined
    const value = this.#parse(line)
    if (!this.header) {
      this.header = readHeader(value)
      return undefined
    }
    if (isRecord(value) && value.end === true) {
      this.isWhole = value.entries === this.entries
      return undefined
    }
    if (!isEntry(value)) throw new RecordingFileError(`Line ${this.#line} is not an entry of a recording.`)
    if (value.seq !== this.entries + 1)
      throw new RecordingFileError(`Line ${this.#line}: entry ${value.seq} cannot follow entry ${this.entries}.`)
    this.entries++
    return value
  }

  #parse(line: string): unknown {
    try {
      return JSON.parse(line)
    } catch {
      throw new RecordingFileError(this.header ? `Line ${this.#line} is not valid JSON.` : NOT_ONE)
    }
  }
}

const NOT_ONE = 'This file is not a recording that was exported here: its first line is different.'
const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value)

function readHeader(value: unknown): FileHeader {
  if (!isRecord(value) || value.format !== FORMAT || !isRecord(value.recording)) throw new RecordingFileError(NOT_ONE)
  if (value.version !== 1)
    throw new RecordingFileError(`The file has version ${String(value.version)}; this console reads version 1.`)
  const { recording } = value
  const text = (key: string): string => (isText(recording[key]) ? recording[key] : '')
  const orNull = (key: string): string | null => text(key) || null
  const startedAt = Number.isNaN(Date.parse(text('startedAt'))) ? new Date(0).toISOString() : text('startedAt')
  return {
    format: FORMAT,
    version: 1,
    exportedAt: isText(value.exportedAt) ? value.exportedAt : '',
    recording: {
      id: text('id'),
      workspace: text('workspace'),
      deployment: text('deployment'),
      thread: orNull('thread'),
      run: orNull('run'),
      assistant: text('assistant'),
      ...(typeof recording.assistantVersion === 'number' && { assistantVersion: recording.assistantVersion }),
      // The log has the outcome, if there is one.
      phase: 'live',
      outcome: null,
      startedBy: text('startedBy'),
      startedAt,
      endedAt: orNull('endedAt'),
      entries: 0,
      bytes: 0,
      request: text('request'),
      isStateless: recording.isStateless === true,
    },
  }
}

const OUTCOMES: readonly unknown[] = [
  ...['success', 'error', 'timeout', 'waiting', 'interrupted', 'cancelled', 'deleted', 'unknown'],
]

function isEntry(value: unknown): value is LogEntry {
  if (!isRecord(value) || !Number.isSafeInteger(value.seq) || !isTime(value.at)) return false
  switch (value.kind) {
    case 'event':
      return isText(value.event) && isText(value.data) && isTextOrNone(value.id)
    case 'joined':
      return isTextOrNone(value.state)
    case 'gap':
      return isTime(value.since) && isText(value.reason) && isTextOrNone(value.state)
    case 'final':
      return (
        OUTCOMES.includes(value.outcome) &&
        isTextOrNone(value.run) &&
        isTextOrNone(value.state) &&
        isTextOrNone(value.reason) &&
        isTextOrNone(value.history) &&
        isTimeOrNone(value.startedAt) &&
        isTimeOrNone(value.endedAt)
      )
    default:
      return false
  }
}

/** A time that a Date can hold; others would break every place that formats one. */
const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= 8.64e15
const isTimeOrNone = (value: unknown): boolean => value === undefined || isTime(value)
