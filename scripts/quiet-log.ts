import { vi } from 'vitest'

// The console's log writes nothing in tests. A test may read the mock's calls, or get the real log back with `vi.unmock`.
vi.mock('@/lib/server/process/log', async (original) => ({
  ...(await original<typeof import('@/lib/server/process/log')>()),
  log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
}))
