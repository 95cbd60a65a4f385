import { vi } from 'vitest'

// A kept process remembers our modules, and what they share on globalThis.
vi.resetModules()
const shared = globalThis as Record<string, unknown>
for (const name of Object.keys(shared)) if (name.startsWith('pilothouse')) delete shared[name]
