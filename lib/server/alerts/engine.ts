import 'server-only'
import { ALERT_EVERY_MS } from '@/lib/contracts/alerts/alerts'
import { storeOutage } from '../process/db'
import { log } from '../process/log'
import { beforeExit, shutdownSignal } from '../process/shutdown'
import { deliverDue, forgetOldAlerts } from './deliver'
import { evaluateAll } from './evaluate'
import { endLease, newHolder, takeLease } from './lease'

const CLEAN_EVERY_MS = 3_600_000
// On globalThis: instrumentation and other parts of the build each have their own copy of this module.
const shared = globalThis as { pilothouseAlerts?: true }

/** Evaluates the rules from now on while this instance has the lease, and sends what is due. */
export function startAlerts(): void {
  if (shared.pilothouseAlerts) return
  shared.pilothouseAlerts = true
  const holder = newHolder()
  const stopping = shutdownSignal()
  let cleanedAt = 0
  const round = async () => {
    try {
      await runRound(holder)
      if (Date.now() - cleanedAt > CLEAN_EVERY_MS) {
        cleanedAt = Date.now()
        await forgetOldAlerts()
      }
    } catch (error) {
      // The page says when the rules were last evaluated.
      log.warn('alerts.round_failed', { error, isOutage: storeOutage(error) !== undefined })
    }
    if (!stopping.aborted) setTimeout(() => void round(), ALERT_EVERY_MS).unref()
  }
  beforeExit(() => endLease(holder))
  void round()
}

/** One round of an instance. */
export async function runRound(holder: string, now = Date.now()): Promise<void> {
  if (await takeLease(holder)) await evaluateAll(holder, now)
  await deliverDue()
}
