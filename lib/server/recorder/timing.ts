import 'server-only'
/** All waits of the recorder in milliseconds. An object, so that tests can shorten them. */
export const TIMING = {
  /** The run and thread ids must be known this long after the upstream answered. */
  idsMs: 15_000,
  /** A start does not wait longer than this to learn the assistant's version; it is not known then. */
  versionMs: 1_000,
  /** A stream without heartbeats that is silent this long makes us ask whether the run still goes on. */
  quietMs: 20_000,
  /** A stream whose heartbeats stop is dead after three intervals, but not before and not after these. */
  heartbeatMinMs: 6_000,
  heartbeatMaxMs: 30_000,
  watchMs: 1_000,
  /** After a clean close the run's status may lag behind. */
  settleMs: [0, 60, 150, 350, 700] as readonly number[],
  retryFirstMs: 250,
  retryMaxMs: 15_000,
  /** An upstream that cannot be reached for this long is given up. */
  giveUpMs: 30 * 60_000,
  /** A run that was stopped from outside may have been stopped by us: the confirmation is on its way then. */
  confirmMs: 1_500,
  /** How long a joined stream may take to show whether the server replays from the start. */
  joinMs: 1_500,
  /** A run that still goes on after this is followed no longer. */
  longestMs: 48 * 3_600_000,
}

/** Most of one recording; then it stops with a mark, and only the end is added. */
export const LIMITS = { recordingBytes: 256 * 1024 * 1024, stateBytes: 64 * 1024 * 1024 }
