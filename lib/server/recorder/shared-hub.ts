import 'server-only'
import { Hub } from './hub'
import { takeOver } from './take-over'

// On globalThis: pages, route handlers, actions and instrumentation each have their own copy of this module.
const shared = globalThis as { pilothouseRecorder?: Hub }

export function recorderHub(): Hub {
  if (!shared.pilothouseRecorder) {
    const hub: Hub = new Hub((row, wasCrash) => takeOver(hub, row, wasCrash))
    shared.pilothouseRecorder = hub
  }
  return shared.pilothouseRecorder
}

/** Takes over recordings of dead instances at the start of the process, without waiting for a visitor. */
export const startRecorder = (): Promise<void> => recorderHub().start()
