// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createElement, createRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import type { InputCheck } from '@/components/crons/input-view'
import { assistantSchemasQuery } from '@/lib/queries/assistants'
import { CronInput } from './cron-input'

afterEach(cleanup)

test.each([
  ['no schema', null],
  ['an empty schema', {}],
  ['a schema without fields', { type: 'object', properties: {} }],
])('a cron of a graph with %s takes a message or JSON', (_name, input_schema) => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(assistantSchemasQuery('w', 'd', 'a').queryKey, { input_schema } as never)
  const onChange = vi.fn()
  const input = createElement(CronInput, {
    place: { workspace: 'w', deploymentId: 'd' },
    assistant: 'a',
    value: '{}',
    onChange,
    saved: undefined,
    error: undefined,
    check: createRef<InputCheck | undefined>() as { current: InputCheck | undefined },
  })
  render(createElement(QueryClientProvider, { client }, input))
  expect(screen.getByRole('button', { name: 'JSON' })).toBeDefined()
  fireEvent.change(screen.getByLabelText('Message'), { target: { value: 'hi' } })
  expect(JSON.parse(onChange.mock.lastCall?.[0])).toEqual({ messages: [{ role: 'user', content: 'hi' }] })
})
