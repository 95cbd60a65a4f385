import 'server-only'
import { env } from './env'
import { prepare } from './readiness'
import { shutdownSignal } from './shutdown'

/** The console's start: ends the process with readable lines when the settings are unusable. */
export async function start(): Promise<void> {
  shutdownSignal()
  try {
    env()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
  await prepare()
}
