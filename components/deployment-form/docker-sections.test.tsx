import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { NO_VALUES } from './create-values'
import { DockerSections } from './docker-sections'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test.each([
  ['in pages', true, 220],
  ['in one page of a server that ignores the offset', false, 220],
])('every listener can be chosen, %s', async (_, isPaged, total) => {
  const all = Array.from({ length: total }, (_, at) => ({
    id: `l${at}`,
    compute_id: `cluster-${at}`,
    compute_type: 'k8s',
  }))
  vi.stubGlobal('fetch', async (url: string) => {
    const { searchParams, pathname } = new URL(url, 'http://console')
    expect(pathname).toBe('/api/relay/w/control-plane/v2/listeners')
    const offset = Number(searchParams.get('offset'))
    const resources = isPaged ? all.slice(offset, offset + Number(searchParams.get('limit'))) : all
    return Response.json({ resources, offset })
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <DockerSections workspace="w" values={NO_VALUES} issues={{}} change={() => undefined} />
    </QueryClientProvider>,
  )
  const choices = within(screen.getByLabelText('Listener'))
  expect(await choices.findByRole('option', { name: 'cluster-219 (k8s)' })).toBeTruthy()
  expect(choices.getAllByRole('option')).toHaveLength(1 + total)
})
