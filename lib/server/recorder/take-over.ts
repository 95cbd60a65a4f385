import 'server-only'
import { log } from '../process/log'
import type { Hub } from './hub'
import { type Chunk, decodeChunk } from './log/chunk'
import { RecordingLog } from './log/recording-log'
import { type RecorderTiming, retryMs } from './log/timing'
import { Recorder } from './recorder'
import { readSegments, type StoredEnd, storedEnd, truncateSegments } from './segments'
import { REPLAY_MS } from './source/intake'
import { findRunByKey } from './source/run-source'
import { deleteRecording, type RecordingRow, setCuts, updateRecording } from './store'

const PAGE_BYTES = 1024 * 1024

/** Continues a recording that no instance records any more, after the last stored entry. */
export async function takeOver(hub: Hub, row: RecordingRow, wasCrash: boolean): Promise<void> {
  const found = await storedEnd(row.id)
  if (!row.thread && !row.isStateless && found.last === 0) {
    // A start stores its thread before it sends the run, so no run was sent.
    await deleteRecording(row.id)
    hub.release(row.id)
    return
  }
  const isRewound = await rewind(row, found)
  const end = isRewound ? await storedEnd(row.id) : found
  // Viewers may have seen entries that were never stored. A viewer beyond this point starts over.
  const cuts = wasCrash || isRewound ? [...row.cuts, end.last] : row.cuts
  if (cuts !== row.cuts) await setCuts(row.id, cuts)
  const page = await readSegments(row.id, 0, PAGE_BYTES)
  const isAll = (page.at(-1)?.last ?? 0) === end.last
  const newest = isAll ? page : await readSegments(row.id, end.last - 1, PAGE_BYTES)
  const last = newest.slice(-1).flatMap(decodeChunk).at(-1)
  if (last?.kind === 'final') {
    // It died after the log's last entry and before updating the row.
    const done = {
      phase: 'ended',
      outcome: last.outcome,
      startedAt: new Date(last.startedAt ?? row.startedAt),
      endedAt: new Date(last.endedAt ?? last.at),
      entries: end.last,
      bytes: end.bytes,
      owner: null,
    } as const
    await updateRecording(row.id, done, { instance: hub.instance, isOwner: true })
    hub.release(row.id)
    return
  }
  const held = new RecordingLog(row, cuts, { phase: 'reconnecting', last: end.last, totalBytes: end.bytes })
  const recorder = new Recorder(hub, row, held)
  try {
    await recall(recorder, row.id, end.last, page)
  } catch (error) {
    recorder.discard() // the lease expires, and the next instance tries
    throw error
  }
  const since = last?.at ?? row.startedAt.getTime()
  recorder.resume(since, recorder.place.run ? undefined : () => nameByKey(recorder, row.id, hub.settings.timing))
}

/**
 * Names a run of which only the key is known. Its start may still be on its way to a server that is busy or away, so that a
 * run that is not there yet says nothing.
 */
async function nameByKey(recorder: Recorder, id: string, timing: RecorderTiming): Promise<void> {
  const began = performance.now()
  for (let tries = 0, hasAnswered = false; !recorder.signal.aborted; tries++) {
    try {
      const run = await findRunByKey(recorder.place, id)
      if (run) return recorder.name(recorder.place.thread, run)
      hasAnswered = true
    } catch (error) {
      log.warn('recorder.run_not_found', { recording: id, error })
    }
    if (performance.now() - began > (hasAnswered ? timing.sentMs : timing.giveUpMs)) return
    await recorder.pause(retryMs(tries, timing))
  }
}

/**
 * Goes back to the first gap of a log whose events the server still has, so that a replay fills it. An older gap stays,
 * because what follows it may be stored nowhere else.
 */
async function rewind({ id, isResumable }: RecordingRow, { beforeGap: gap }: StoredEnd): Promise<boolean> {
  if (!isResumable || gap === undefined) return false
  const before = (await readSegments(id, gap - 1, 1)).flatMap(decodeChunk).find(({ seq }) => seq === gap)
  if (!before || Date.now() - before.at > REPLAY_MS) return false
  await truncateSegments(id, gap)
  log.warn('recorder.gap_rewound', { recording: id, last: gap })
  return true
}

/** Page by page, because the log may not fit into memory twice. */
async function recall(recorder: Recorder, id: string, last: number, first: readonly Chunk[]): Promise<void> {
  for (let page = first; ; ) {
    recorder.recall(page.flatMap(decodeChunk))
    const cursor = page.at(-1)?.last ?? last
    if (cursor >= last) return
    page = await readSegments(id, cursor, PAGE_BYTES)
  }
}
