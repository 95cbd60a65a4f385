import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { MetricsCharts } from './metrics-charts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Shows the charts of a server that answers this. */
function show(status: number, body: string) {
  const headers = { 'content-type': status === 200 ? 'text/plain' : 'application/json' }
  vi.stubGlobal('fetch', async () => new Response(body, { status, headers }))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MetricsCharts workspace="local" deploymentId="d" />
    </QueryClientProvider>,
  )
}
const failure = (code: string, message: string) => JSON.stringify({ code, message, fields: [], requestId: 'r' })

test('each family has its name, its help and its latest value', async () => {
  show(200, '# HELP runs_waiting Runs that wait\n# TYPE runs_waiting gauge\nruns_waiting 42\n')
  expect(await screen.findByRole('img', { name: 'runs_waiting: now 42' })).toBeDefined()
  expect(screen.getByText('Runs that wait')).toBeDefined()
})

test('a server without metrics and one with none yet are told apart', async () => {
  show(501, failure('unsupported', 'This agent server does not offer metrics.'))
  expect(await screen.findByText('This agent server does not offer metrics.')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  cleanup()
  show(200, '\n')
  expect(await screen.findByText('No metrics')).toBeDefined()
})

test('a failure says why and offers another try', async () => {
  show(503, failure('upstream_unreachable', 'The agent server does not answer.'))
  expect((await screen.findByRole('alert')).textContent).toContain('The agent server does not answer.')
  expect(screen.getByRole('button', { name: /try again/i })).toBeDefined()
})
