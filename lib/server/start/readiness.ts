import 'server-only'
import { isStoreUp } from '../process/db'
import { log } from '../process/log'
import { shutdownSignal } from '../process/shutdown'
import { ensureFirstAdmin } from './first-run'

const WITHIN_MS = 2000

/** Why the console cannot serve, in words that anyone may read; empty if it is ready. */
export async function readinessProblems(): Promise<string[]> {
  if (shutdownSignal().aborted) return ['The console is stopping.']
  // Opening the store migrates it, so a store that responds has all its tables.
  if (!(await isStoreUp(WITHIN_MS))) return ['The database does not answer, or could not be migrated.']
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(resolve, WITHIN_MS, ['The first account is being made.'])
  })
  const first = ensureFirstAdmin().then(
    () => [],
    (error: unknown) => {
      log.error('first_admin.failed', { error })
      return ['The first account could not be made; the log has the reason.']
    },
  )
  const problems = await Promise.race([first, late])
  clearTimeout(timer)
  return problems
}

/**
 * Opens the store and creates the first admin. Retries until it works, because the database may start after the
 * console.
 */
export async function prepare(): Promise<void> {
  try {
    await ensureFirstAdmin()
  } catch (error) {
    log.error('start.failed', { error })
    if (!shutdownSignal().aborted) setTimeout(() => void prepare(), 3000).unref()
  }
}
