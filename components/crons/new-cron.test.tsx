import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { CronViews } from './input-view'
import { NewCron } from './new-cron'

vi.mock('@/lib/actions/crons', () => ({ createCron: vi.fn() }))
vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))
const Threads: CronViews['Threads'] = ({ chosen, onChoose }) => (
  <button type="button" aria-pressed={chosen === 't-42'} onClick={() => onChoose('t-42')}>
    Refund for order 7
  </button>
)
const views = { Input: () => null, Threads }
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('no form is shown before the server has said whether it has crons', async () => {
  let answer = (_: Response) => {}
  const said = new Promise<Response>((resolve) => {
    answer = resolve
  })
  vi.stubGlobal('fetch', (address: string) =>
    address.includes('/crons/') ? said : Promise.resolve(Response.json([], { status: 200 })),
  )
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <NewCron workspace="local" deploymentId="d" views={views} />
    </QueryClientProvider>,
  )
  expect(screen.getByRole('heading', { name: 'New cron' })).toBeDefined()
  expect(screen.queryByRole('textbox')).toBeNull()
  const error = { code: 'unsupported', message: 'This agent server does not offer crons.', fields: [], requestId: '' }
  answer(Response.json(error, { status: 501 }))
  expect(await screen.findByText('No crons on this server')).toBeDefined()
  expect(screen.queryByRole('textbox')).toBeNull()
})

test('the thread of a cron is chosen by its title', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json([], { status: 200 })))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <NewCron workspace="local" deploymentId="d" views={views} />
    </QueryClientProvider>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Choose a recent thread' }))
  fireEvent.click(screen.getByRole('button', { name: 'Refund for order 7' }))
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Thread' }).value).toBe('t-42')
  expect(screen.getByRole('button', { name: 'Refund for order 7', pressed: true })).toBeTruthy()
})
