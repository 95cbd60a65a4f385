import 'server-only'
import { startAlerts } from '../alerts/engine'
import { startAuditRetention } from '../audit/retention'
import { serveLive } from '../live/serve'
import { env } from '../process/env'
import { log } from '../process/log'
import { noteOutside } from '../process/outside'
import { shutdownSignal } from '../process/shutdown'
import { startRecorder } from '../recorder/shared-hub'
import { startDirectStreams } from '../transport/direct-streams'
import { LIVE_PATH } from '../transport/node-response'
import { startRequestGuard } from '../transport/request-guard'
import { offerShortcut } from '../transport/shortcut'
import { attach } from './attach'
import { startMetrics } from './metrics'
import { prepare } from './readiness'
import { startTelemetry } from './telemetry'

/** Set by scripts/inherit-secrets.mjs if the launcher has settings for this process that the environment must not show. */
const shared = globalThis as { pilothouseSecrets?: Promise<void> }

/** Starts the console. Ends the process with readable lines if the settings are invalid. */
export async function start(): Promise<void> {
  shutdownSignal()
  noteOutside()
  await shared.pilothouseSecrets
  try {
    env()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
  await startTelemetry().catch((error: unknown) => log.error('telemetry.start_failed', { error }))
  startRequestGuard()
  startMetrics()
  await startDirectStreams(env().PILOTHOUSE_DIRECT_STREAMS)
  await prepare()
  await attach()
  // Recordings of a crashed console continue now, not with the first visitor.
  await startRecorder()
  startAlerts()
  startAuditRetention()
  // Its first requests may be those of all browsers that another instance has left.
  offerShortcut(LIVE_PATH, serveLive)
  // The launcher starts a console that has come this far again if it dies.
  process.send?.({ hasStarted: true })
}
