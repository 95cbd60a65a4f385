import 'server-only'
import { log } from '../log'
import { decodeChunk } from './chunk'
import type { Hub } from './hub'
import { Recorder } from './recorder'
import { RecordingLog } from './recording-log'
import { findMarkedRun } from './run-source'
import { type RecordingRow, readSegments, setCuts, storedEnd, updateRecording } from './store'

/** Goes on with a recording that no instance records any more, from where its stored log ends. */
export async function takeOver(hub: Hub, row: RecordingRow, wasCrash: boolean): Promise<void> {
  const end = await storedEnd(row.id)
  // Viewers may have seen entries that were not stored yet: whoever is beyond this point starts over.
  const cuts = wasCrash ? [...row.cuts, end.last] : row.cuts
  if (wasCrash) await setCuts(row.id, cuts)
  const entries = (await readSegments(row.id, 0, Number.MAX_SAFE_INTEGER)).flatMap(decodeChunk)
  const last = entries.at(-1)
  if (last?.kind === 'final') {
    // It died between the log's last entry and the row.
    const done = {
      phase: 'ended',
      outcome: last.outcome,
      endedAt: new Date(last.at),
      entries: end.last,
      bytes: end.bytes,
      owner: null,
    } as const
    await updateRecording(row.id, done, { instance: hub.instance, isOwner: true })
    hub.release(row.id)
    return
  }
  const held = new RecordingLog(row.id, cuts, { phase: 'reconnecting', last: end.last, totalBytes: end.bytes })
  const recorder = new Recorder(hub, row, held)
  if (!recorder.place.run) {
    const run = await findMarkedRun(recorder.place, row.id).catch((error: unknown) => {
      log.warn('recorder.run_not_found', { recording: row.id, error })
      return undefined
    })
    if (run) recorder.name(recorder.place.thread, run)
  }
  recorder.resume(entries, last?.at ?? row.startedAt.getTime())
}
