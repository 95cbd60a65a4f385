import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { NewCron } from './new-cron'

vi.mock('@/lib/actions/crons', () => ({ createCron: vi.fn() }))
vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))
const views = { Input: () => null }
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
