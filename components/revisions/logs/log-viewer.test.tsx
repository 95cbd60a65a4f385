import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { LogStore } from './log-store'
import { LogViewer } from './log-viewer'

const store = vi.hoisted(() => ({ now: undefined as LogStore | undefined }))
vi.mock('./use-log', () => ({ useLog: () => store.now }))
afterEach(cleanup)

test.each([
  ['not read yet', {}, null],
  ['being read', { phase: 'starting' }, null],
  ['not readable', { phase: 'live', problem: { code: 'upstream_unreachable', message: 'Not reachable' } }, null],
  ['empty', { phase: 'live' }, '0 lines'],
] as const)('a log that is %s says how many lines it has only if that is known', (_, state, said) => {
  store.now = Object.assign(new LogStore(), state)
  const view = { level: '', query: '', isWrapped: false, hasTimes: true }
  const of = { workspace: 'w', deploymentId: 'd', revision: 'r', type: 'build' as const }
  render(<LogViewer {...of} view={view} onView={() => {}} empty="Nothing was logged" />)
  expect(screen.queryByText(/\d lines?/)?.textContent ?? null).toBe(said)
})
