import { vi } from 'vitest'

// Silences the console's log in tests. A test can read the mock's calls, or restore the log with `vi.unmock`.
vi.mock('@/lib/server/process/log', async (original) => ({
  ...(await original<typeof import('@/lib/server/process/log')>()),
  log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
}))
