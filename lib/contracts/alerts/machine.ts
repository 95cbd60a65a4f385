import type { AlertPhase } from './alerts'

/**
 * One look at what a rule watches. `near`: within the margin below a bound, where an alert neither begins nor ends.
 * `unknown`: it could not be read.
 */
export type Reading = 'bad' | 'near' | 'good' | 'unknown'

export type Machine = {
  phase: AlertPhase
  reading: Reading
  /** For how long it was seen to be bad without a break; while firing, for how long it was seen to be good. */
  heldMs: number
  /** When it was last looked at, and since when it is in its phase: epoch milliseconds. */
  at: number
  since: number
}

export type MachineSettings = {
  /** How long it must be bad before it fires. */
  fireMs: number
  /** How long it must be good before it is resolved. */
  resolveMs: number
  /** Between two looks further apart than this, nothing is known. */
  gapMs: number
}

export const initialMachine = (now: number): Machine => ({
  phase: 'ok',
  reading: 'unknown',
  heldMs: 0,
  at: now,
  since: now,
})

/**
 * The next state: ok → pending → firing → ok. Only time between two equal readings counts, so an outage of the console or of
 * an upstream neither fires nor resolves anything.
 */
export function step(
  before: Machine,
  reading: Reading,
  now: number,
  { fireMs, resolveMs, gapMs }: MachineSettings,
): { machine: Machine; event?: 'fired' | 'resolved' } {
  const elapsed = now - before.at
  const seen = before.reading === reading && elapsed >= 0 && elapsed <= gapMs ? elapsed : 0
  const kept = { ...before, reading, at: now }
  const enter = (phase: AlertPhase, event?: 'fired' | 'resolved') => ({
    machine: { phase, reading, heldMs: 0, at: now, since: now },
    ...(event && { event }),
  })
  if (reading === 'unknown') return { machine: kept }
  if (before.phase === 'firing') {
    if (reading !== 'good') return { machine: { ...kept, heldMs: 0 } }
    const heldMs = before.heldMs + seen
    return heldMs >= resolveMs ? enter('ok', 'resolved') : { machine: { ...kept, heldMs } }
  }
  if (reading !== 'bad') return before.phase === 'pending' ? enter('ok') : { machine: kept }
  if (before.phase === 'ok') return fireMs <= 0 ? enter('firing', 'fired') : enter('pending')
  const heldMs = before.heldMs + seen
  return heldMs >= fireMs ? enter('firing', 'fired') : { machine: { ...kept, heldMs } }
}
