import { inject } from 'vitest'

// A kept worker remembers what our modules share on globalThis, and the change before this one until the first test.
const shared = globalThis as Record<string, unknown> & { __stryker__?: { activeMutant?: string } }
for (const name of Object.keys(shared)) if (name.startsWith('pilothouse')) delete shared[name]
const activation: unknown = inject('mutantActivation' as never)
if (shared.__stryker__ && activation !== 'static') shared.__stryker__.activeMutant = undefined
