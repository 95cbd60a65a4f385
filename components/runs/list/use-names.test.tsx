import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { pickableAssistants } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { PAGE_SIZES } from './list-query'
import { useNames } from './use-names'

afterEach(cleanup)

test('the assistants of all deployments of a page have names', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(deploymentsQuery('w', { limit: 100 }).queryKey, { resources: [] } as never)
  const rows = Array.from({ length: PAGE_SIZES[0] }, (_, n) => ({ deployment: `d${n}`, assistant: `a${n}` }) as RunRow)
  for (const { deployment, assistant: assistant_id } of rows) {
    const one = { assistant_id, graph_id: 'agent', name: `Agent of ${deployment}`, metadata: {} }
    client.setQueryData(pickableAssistants('w', deployment).queryKey, [one] as never)
  }
  const { names } = renderHook(() => useNames('w', undefined, rows), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  }).result.current
  expect(rows.map((row) => names.assistant(row))).toEqual(rows.map(({ deployment }) => `Agent of ${deployment}`))
})

test('an assistant whose server does not answer has the name that it had last', () => {
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } })
  const row = { deployment: 'd', assistant: 'a', assistantName: 'Night counter' } as RunRow
  const { names } = renderHook(() => useNames('w', undefined, [row]), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  }).result.current
  expect(names.assistant(row)).toBe('Night counter')
})
