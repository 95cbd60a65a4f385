import 'server-only'
import { performance } from 'node:perf_hooks'

/** All waits of the recorder in milliseconds. */
const TIMING = {
  /** The run and thread ids must be known this long after the upstream responded. */
  idsMs: 15_000,
  /** After a take-over, a start without an answer may reach its server this much later. */
  sentMs: 60_000,
  /** A start waits this long to learn the assistant's version. */
  versionMs: 1_000,
  /** After this much silence on a stream without heartbeats, the run's status is checked. */
  quietMs: 20_000,
  /** A stream is dead after three missing heartbeats, but no sooner and no later than this. */
  heartbeatMinMs: 6_000,
  heartbeatMaxMs: 30_000,
  watchMs: 1_000,
  /** After a clean close the run's status may lag behind. */
  statusMs: [0, 60, 150, 350, 700] as readonly number[],
  retryFirstMs: 250,
  retryMaxMs: 15_000,
  /** An upstream that is unreachable for this long is given up. */
  giveUpMs: 30 * 60_000,
  /** A run that looks cancelled may have been cancelled by us, with the confirmation still to come. */
  confirmMs: 1_500,
  /** How long a joined stream may take to show whether the server replays from the start. */
  joinMs: 1_500,
  /** A run that is still running after this is no longer followed. */
  longestMs: 48 * 3_600_000,
}

export type RecorderTiming = typeof TIMING

export type RecorderSettings = {
  timing: RecorderTiming
  /** The size of the largest recording. A full one only gets its end entry. */
  recordingBytes: number
}

/** The usual settings, with these replaced. */
export const recorderSettings = (
  timing: Partial<RecorderTiming> = {},
  recordingBytes = 256 * 1024 * 1024,
): RecorderSettings => ({ timing: { ...TIMING, ...timing }, recordingBytes })

/** How long to wait after so many failures in a row: longer each time. */
export const retryMs = (tries: number, { retryFirstMs, retryMaxMs }: RecorderTiming): number =>
  Math.min(retryFirstMs * 2 ** Math.min(tries, 10), retryMaxMs)

/** Shortest time between two chunks of a busy stream; an event after a pause is sent at once. */
export const FRAME_MS = 33
/** The same where the process has little time to spare. */
const LONG_FRAME_MS = 100
/** And where it has none. */
const LONGEST_FRAME_MS = 240
const LOOK_MS = 250
/** Shares of the event loop's time that are in use. */
const FULL = 0.98
const BUSY = 0.92
const CALM = 0.75
const LONGER = 2
const LONGER_MS = 20
const SHORTER = 0.8

/** The next frame's length, of this one's and the share of the event loop's time that was in use meanwhile. */
export function nextFrame(current: number, used: number): number {
  if (current < LONG_FRAME_MS && used > BUSY) return Math.min(LONG_FRAME_MS, current * LONGER)
  if (used > FULL) return Math.min(LONGEST_FRAME_MS, current + LONGER_MS)
  if (current > LONG_FRAME_MS && used <= BUSY) return Math.max(LONG_FRAME_MS, current * SHORTER)
  return used < CALM ? Math.max(FRAME_MS, current * SHORTER) : current
}

let frame = FRAME_MS
let lookedAt = performance.now()
let before = performance.eventLoopUtilization()

/**
 * Milliseconds between two chunks of a busy stream in this process. Each chunk costs a read, a frame for every viewer and
 * a row, so a process that is busy with many runs makes fewer and longer ones instead of falling behind.
 */
export function frameMs(): number {
  const now = performance.now()
  if (now - lookedAt >= LOOK_MS) {
    const seen = performance.eventLoopUtilization()
    frame = nextFrame(frame, performance.eventLoopUtilization(seen, before).utilization)
    before = seen
    lookedAt = now
  }
  return frame
}
