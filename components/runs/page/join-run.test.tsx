import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { joinRun } from '@/lib/actions/runs'
import { JoinRun } from './join-run'

vi.mock('@/lib/actions/runs', () => ({ joinRun: vi.fn() }))
const replace = vi.hoisted(() => vi.fn())
vi.mock('next/navigation', () => ({ useRouter: () => ({ replace }) }))
afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

const failure = (code: 'not_found' | 'internal') => ({
  ok: false as const,
  error: { code, message: 'It could not be read.', fields: [], requestId: '' },
})
const open = () => render(<JoinRun workspace="w" deploymentId="d" thread="t" run="r" />)

test('a run whose thread is gone opens its trace', async () => {
  vi.mocked(joinRun).mockResolvedValue(failure('not_found'))
  open()
  await waitFor(() => expect(replace).toHaveBeenCalledWith('/w/deployments/d/traces/of-run/r'))
})

test('any other failure is shown', async () => {
  vi.mocked(joinRun).mockResolvedValue(failure('internal'))
  open()
  await screen.findByText('It could not be read.')
  expect(replace).not.toHaveBeenCalled()
})
