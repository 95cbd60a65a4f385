import { afterAll, vi } from 'vitest'

// A kept process remembers our modules, and what they share on globalThis.
vi.resetModules()
const shared = globalThis as Record<string, unknown>
for (const name of Object.keys(shared)) if (name.startsWith('pilothouse')) delete shared[name]

// It also keeps what a test file changes.
const env = { ...process.env }
const ends = ['SIGTERM', 'SIGINT', 'disconnect'] as const
const listeners = ends.map((event) => process.rawListeners(event))
afterAll(async () => {
  vi.useRealTimers()
  // An import that is under way beside the next file's mocks makes Vitest create these twice: a module calls one, its test sees another.
  await vi.dynamicImportSettled()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  ends.forEach((event, index) => {
    for (const listener of process.rawListeners(event))
      if (!listeners[index]?.includes(listener)) process.off(event, listener as () => void)
  })
})
