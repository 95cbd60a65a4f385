import 'server-only'
import { setFlagsFromString } from 'node:v8'
import { env } from '../process/env'
import { log } from '../process/log'
import { shutdownSignal } from '../process/shutdown'
import { startRecorder } from '../recorder/shared-hub'
import { keepNodeResponses } from '../transport/node-response'
import { prepare } from './readiness'

/** The console's start: ends the process with readable lines when the settings are unusable. */
export async function start(): Promise<void> {
  // The whole heap is looked through when it has doubled. By itself the engine soon does so for each burst of events, on a
  // processor that others want.
  setFlagsFromString('--heap-growing-percent=100')
  shutdownSignal()
  keepNodeResponses()
  try {
    env()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
  await prepare()
  // Recordings that a dead console left behind go on now, not when somebody looks.
  await startRecorder().catch((error: unknown) => log.error('recorder.start_failed', { error }))
}
