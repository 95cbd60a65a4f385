import 'server-only'
import { env } from '../process/env'
import { log } from '../process/log'
import { shutdownSignal } from '../process/shutdown'
import { startRecorder } from '../recorder/shared-hub'
import { startDirectStreams } from '../transport/direct-streams'
import { prepare } from './readiness'

/** The console's start: ends the process with readable lines when the settings are unusable. */
export async function start(): Promise<void> {
  shutdownSignal()
  try {
    env()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
  await startDirectStreams(env().PILOTHOUSE_DIRECT_STREAMS)
  await prepare()
  // Recordings that a crashed console left are resumed now, not when the first visitor comes.
  await startRecorder().catch((error: unknown) => log.error('recorder.start_failed', { error }))
}
