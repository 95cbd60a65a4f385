import 'server-only'
import { AppError } from '@/lib/errors'
import type { LogEntry, RecordingSummary } from '@/lib/stream/log'
import { type Chunk, chunkAfter, decodeChunk } from '../recorder/chunk'
import type { RecordingLog } from '../recorder/recording-log'
import { recorderHub } from '../recorder/shared-hub'
import {
  findRecording,
  type RecordingsFilter,
  type RecordingsPage,
  selectRecordings,
  summaryOf,
} from '../recorder/store'

const PAGE_BYTES = 1024 * 1024

/** Throws AppError not_found. Rights are the caller's matter: compare `workspace` with what the actor may see. */
export async function readRecording(id: string): Promise<RecordingSummary> {
  const row = await findRecording(id)
  if (!row) throw new AppError('not_found', 'There is no such recording. It may have passed its time of storage.')
  const recorder = recorderHub().recorders.get(id)
  if (!recorder) return summaryOf(row)
  const { last, totalBytes, phase, end } = await recorderHub().log(id)
  return { ...summaryOf(row), entries: last, bytes: totalBytes, phase, ...end }
}

/** Newest first, a page at a time. */
export const listRecordings = (filter: RecordingsFilter): Promise<RecordingsPage> => selectRecordings(filter)

/** Chunks after `cursor`, from memory or else from the store; the first may begin before the cursor. Empty at the end. */
export async function readChunks(log: RecordingLog, cursor: number, maxBytes = PAGE_BYTES): Promise<Chunk[]> {
  log.usedAt = Date.now()
  return log.read(cursor, maxBytes) ?? (await recorderHub().readStore(log, cursor, maxBytes))
}

/** The log as it stands, page by page. */
export async function* exportRecording(id: string): AsyncGenerator<LogEntry[]> {
  const log = await recorderHub().log(id)
  for (let cursor = 0; ; ) {
    const chunks = await readChunks(log, cursor)
    if (chunks.length === 0) return
    for (const chunk of chunks) {
      const bytes = chunkAfter(chunk, cursor)
      if (bytes) yield decodeChunk({ ...chunk, bytes })
      cursor = Math.max(cursor, chunk.last)
    }
  }
}

/**
 * Hands `sink` every entry after `cursor`, then each new one as it comes, until the function that is given back is
 * called. A sink that returns a promise is waited for; what comes meanwhile is read from the log afterwards.
 */
export function subscribeRecording(
  id: string,
  cursor: number,
  sink: (entries: LogEntry[]) => void | Promise<void>,
  onError: (error: unknown) => void,
): () => void {
  let isOver = false
  let at = cursor
  let isReading = false
  let hasMore = false
  let unsubscribe = () => {}
  const read = async (log: RecordingLog) => {
    hasMore = true
    if (isReading) return
    isReading = true
    while (hasMore && !isOver && !log.isAbandoned) {
      hasMore = false
      for (const chunk of await readChunks(log, at)) {
        const bytes = chunkAfter(chunk, at)
        if (!bytes || isOver) continue
        const entries = decodeChunk({ first: at + 1, last: chunk.last, bytes })
        at = chunk.last
        hasMore = true
        await sink(entries)
      }
    }
    isReading = false
    if (log.isAbandoned && !isOver) await begin()
  }
  const begin = async () => {
    unsubscribe()
    const log = await recorderHub().log(id)
    if (isOver) return
    unsubscribe = log.subscribe(() => void read(log).catch(onError))
    await read(log)
  }
  void begin().catch(onError)
  return () => {
    isOver = true
    unsubscribe()
  }
}
