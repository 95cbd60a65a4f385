import 'server-only'
import { AppError } from '@/lib/errors'
import { sharedLimiter } from '../access/shared-limiter'
import { canRecord } from '../audit/trail'
import { storeProblem } from '../process/db'
import { log } from '../process/log'
import { shutdownSignal } from '../process/shutdown'
import { within } from '../process/within'
import type { Hub } from '../recorder/hub'
import { ensureFirstAdmin } from './first-run'

const WITHIN_MS = 2000

/** Why the console cannot serve, in words that anyone may read; empty if it is ready. */
export async function readinessProblems(): Promise<string[]> {
  if (shutdownSignal().aborted) return ['The console is stopping.']
  // Opening the store migrates it, so a store that responds has all its tables.
  const problem = await storeProblem(WITHIN_MS)
  if (problem) return [problem]
  const first = ensureFirstAdmin().then(
    async () => await sealingProblems(),
    (error: unknown) => {
      log.error('first_admin.failed', { error })
      return [
        error instanceof AppError ? error.message : 'The first account could not be created; the log has the reason.',
      ]
    },
  )
  return await within(WITHIN_MS, first, ['The first account is being created.'])
}

/** What this instance lacks although it serves, in words that anyone may read. It repairs all of it itself. */
export function readinessWarnings(): string[] {
  const limiter = sharedLimiter()
  return [...recorderWarnings(), ...(limiter.isApart() ? [APART] : []), ...(limiter.isCrowded() ? [CROWDED] : [])]
}

const APART = 'The limits of requests cannot be read from the database. Requests to other instances do not count here.'
const CROWDED =
  'Many addresses send requests without an account. Those of further addresses to other instances do not count here.'

function recorderWarnings(): string[] {
  // Not through the recorder's module, which would load all of it before the first answer of a start.
  const hub = shared.pilothouseRecorder
  if (!hub?.hasStarted)
    return [
      'The recorder has not started: it needs its own connection to the database. Nothing is taken over here yet.',
    ]
  if (!hub.line.isOpen)
    return ['The database connection for notices of other instances is lost. What they record arrives late here.']
  return []
}

type Trail = 'usable' | 'unreadable' | 'of another key'
// On globalThis: instrumentation and the route each have their own copy of this module.
const shared = globalThis as { pilothouseTrail?: Trail; pilothouseRecorder?: Hub }

/** Logs when the trail's state changes: a probe asks every few seconds. */
function note(trail: Trail, event?: string, fields?: { error: unknown }): void {
  if (event && shared.pilothouseTrail !== trail) log.error(event, fields)
  shared.pilothouseTrail = trail
}

/** Without the right key this instance could write nothing, for every change is audited first. */
async function sealingProblems(): Promise<string[]> {
  try {
    if (await canRecord()) {
      note('usable')
      return []
    }
  } catch (error) {
    note('unreadable', 'audit.check_failed', { error })
    return ['The audit trail could not be checked; the log has the reason.']
  }
  note('of another key', 'audit.sealed_with_another_key')
  return [
    'The audit trail in this database was sealed with another sealing key, or its end was changed. Set PILOTHOUSE_SEALING_KEY to the key of the other instances, or put sealing-key back into the data folder.',
  ]
}

/**
 * Opens the store and creates the first admin. Retries until it works, because the database may start after the
 * console.
 */
export async function prepare(): Promise<void> {
  try {
    await ensureFirstAdmin()
    await sealingProblems()
  } catch (error) {
    log.error('start.failed', { error })
    if (!shutdownSignal().aborted) setTimeout(() => void prepare(), 3000).unref()
  }
}
