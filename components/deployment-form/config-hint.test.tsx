import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ConfigHint } from './config-hint'
import { type CreateValues, NO_VALUES } from './create-values'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const SOURCE: CreateValues = {
  ...NO_VALUES,
  ...{ integration: '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001', repository: 'https://example.com/agent' },
  ...{ ref: 'main', configPath: 'graph.json' },
}

function show(status: number, body: unknown, values = SOURCE) {
  vi.stubGlobal('fetch', async () => Response.json(body, { status }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ConfigHint workspace="local" values={values} />
    </QueryClientProvider>,
  )
}

const refusal = (upstreamStatus: number, message: string) => ({
  ...{ code: 'invalid', message, fields: [], requestId: '', upstreamStatus },
})

test('the graphs of the configuration are named, with the file where they were found', async () => {
  show(200, { commit: 'c', graph_config_path: 'langgraph.json', graphs: ['chat', 'mail'], env_example: null })
  expect((await screen.findByText(/^Found/)).textContent).toBe('Found langgraph.json with 2 graphs: chat, mail')
})

test('a configuration that cannot be read says why, and a control plane without this feature says nothing', async () => {
  show(400, refusal(400, 'The graph configuration file "graph.json" does not exist in the source.'))
  expect(await screen.findByText(/does not exist in the source/)).toBeDefined()
  cleanup()
  show(404, refusal(404, 'Not Found'))
  expect(await screen.findByText(/Path of the file/)).toBeDefined()
  cleanup()
  show(200, {}, NO_VALUES)
  expect(screen.getByText(/Path of the file/)).toBeDefined()
})
