import 'server-only'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { RecordingPlace } from '@/lib/contracts/wire/places'
import { isLimited } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import type { LogEntry, RecordingSummary } from '@/lib/stream/log'
import { endLine, entryLine, headerLine } from '@/lib/stream/recording-file'
import type { Actor } from '../access/actor'
import { recentRightsOf } from '../access/recent-rights'
import { authorizeRead, authorizeWithin, checkRights } from '../audit/own-records'
import { type RecordingsFilter, type RecordingsPage, selectRecordings } from '../recorder/list'
import { type Chunk, chunkAfter, decodeChunk } from '../recorder/log/chunk'
import type { RecordingLog } from '../recorder/log/recording-log'
import { recorderHub } from '../recorder/shared-hub'
import { findRecording, summaryOf } from '../recorder/store'
import { settleWaiting } from '../recorder/waiting'

const PAGE_BYTES = 1024 * 1024
/** Thousands of connections may open a recording at once, so they share the reads of their rights; each rechecks every few seconds. */
const FRESH_RIGHTS_MS = 1_000

/** The current summary of a recording. Throws AppError not_found. */
export async function readRecording(actor: Actor, place: RecordingPlace): Promise<RecordingSummary> {
  const limit = await authorizeWithin(consoleRecords.readRecordings, actor, place.workspace)
  const { workspace, deploymentId, recording: id } = place
  const isRecorded = () => recorderHub().recorders.has(id)
  const wasRecorded = isRecorded()
  let row = await findRecording(id)
  if (wasRecorded && !isRecorded()) row = await findRecording(id) // its end was written meanwhile
  if (row?.workspace !== workspace || (deploymentId !== undefined && row.deployment !== deploymentId)) throw notFound()
  if (limit && !limit.includes(row.deployment)) throw notFound()
  if (!isRecorded()) return summaryOf((await settleWaiting(workspace, [row]))[0] ?? row)
  const { last, totalBytes, phase, end } = await recorderHub().log(id)
  return { ...summaryOf(row), entries: last, bytes: totalBytes, phase, ...end }
}

/** A page of the workspace's recordings, newest first. */
export async function listRecordings(actor: Actor, filter: RecordingsFilter): Promise<RecordingsPage> {
  const { workspace, deploymentId } = filter
  if (deploymentId !== undefined) await authorizeRead(consoleRecords.readRecordings, actor, workspace, deploymentId)
  const limit = await authorizeWithin(consoleRecords.readRecordings, actor, workspace)
  return selectRecordings(filter, limit)
}

/** A recording that the actor may follow, read from memory or from the store. */
export type OpenRecording = {
  readonly log: RecordingLog
  /** Chunks after `cursor`, empty at the end. The first one may begin before `cursor`. */
  read(cursor: number, maxBytes?: number): Chunk[] | Promise<Chunk[]>
}

/**
 * Opens a recording to follow it; callers that keep it open must recheck the actor's role. Throws AppError not_found.
 */
export async function openRecording(actor: Actor, { workspace, recording }: RecordingPlace): Promise<OpenRecording> {
  const rights = await recentRightsOf(actor, workspace, FRESH_RIGHTS_MS)
  // A log does not know its deployment.
  if (isLimited(rights)) await readRecording(actor, { workspace, recording })
  else checkRights(consoleRecords.readRecordings, rights)
  const log = await recorderHub().log(recording)
  if (log.workspace !== workspace) throw notFound()
  return {
    log,
    read(cursor, maxBytes = PAGE_BYTES) {
      log.usedAt = Date.now()
      return log.read(cursor, maxBytes) ?? recorderHub().readStore(log, cursor, maxBytes)
    },
  }
}

/** The entries recorded so far, page by page. */
export async function* exportRecording(actor: Actor, place: RecordingPlace): AsyncGenerator<LogEntry[]> {
  const { read } = await openRecording(actor, place)
  for (let cursor = 0; ; ) {
    const chunks = await read(cursor)
    if (chunks.length === 0) return
    for (const chunk of chunks) {
      const bytes = chunkAfter(chunk, cursor)
      if (bytes) yield decodeChunk({ ...chunk, bytes })
      cursor = Math.max(cursor, chunk.last)
    }
  }
}

/** A recording as a JSON Lines file, read page by page while it is sent. Throws AppError not_found. */
export async function recordingFile(
  actor: Actor,
  place: RecordingPlace,
): Promise<{ name: string; type: string; parts: AsyncGenerator<string, void> }> {
  const summary = await readRecording(actor, place)
  const date = summary.startedAt.slice(0, 19).replace(/[^\d-]/g, '')
  const name = `run-${date}-${summary.id.slice(0, 8)}.jsonl`
  return { name, type: 'application/jsonl', parts: linesOf(actor, place, summary) }
}

async function* linesOf(actor: Actor, place: RecordingPlace, summary: RecordingSummary): AsyncGenerator<string, void> {
  yield headerLine(summary, new Date().toISOString())
  let count = 0
  for await (const entries of exportRecording(actor, place)) {
    count += entries.length
    yield entries.map(entryLine).join('')
  }
  yield endLine(count)
}

const notFound = () => new AppError('not_found', 'This workspace has no such recording. It may have expired.')
