import { expect, test } from 'vitest'
import { lastCronRunsQuery } from './crons'

test.each([
  [{ a: null, b: { status: 'success' } }, 30_000],
  [{ a: null, b: { status: 'running' } }, 5_000],
  [{ a: { status: 'pending' } }, 5_000],
  [undefined, 30_000],
])('last runs of crons %j are read again after %i ms', (data, expected) => {
  const { refetchInterval } = lastCronRunsQuery('w', 'd', [])
  expect(typeof refetchInterval === 'function' && refetchInterval({ state: { data } } as never)).toBe(expected)
})
