import 'server-only'
import { clock } from '../process/clock'
import { log } from '../process/log'
import { shutdownSignal } from '../process/shutdown'
import { Hub } from './hub'
import { type RecorderSettings, recorderSettings } from './log/timing'
import { takeOver } from './take-over'

// On globalThis: pages, route handlers, actions and instrumentation each have their own copy of this module.
const shared = globalThis as { pilothouseRecorder?: Hub }

/** The one hub of this process. */
export const recorderHub = (): Hub => shared.pilothouseRecorder ?? adoptHub()

/** Makes a new hub the one of this process, as after a restart. Tests give their own settings. */
export function adoptHub(settings: RecorderSettings = recorderSettings()): Hub {
  const hub: Hub = new Hub((row, wasCrash) => takeOver(hub, row, wasCrash), settings)
  shared.pilothouseRecorder = hub
  return hub
}

const RETRY_MS = 3_000

/**
 * Takes over recordings of dead instances at the start of the process, without waiting for a visitor. Retries in the
 * background until it works, because the database may start after the console.
 */
export async function startRecorder(): Promise<void> {
  try {
    await recorderHub().start()
  } catch (error) {
    log.error('recorder.start_failed', { error })
    void retryStart()
  }
}

async function retryStart(): Promise<void> {
  await clock().pause(RETRY_MS)
  if (!shutdownSignal().aborted) await startRecorder()
}
