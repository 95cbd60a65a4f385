import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createDeployment } from '@/lib/actions/deployments'
import { deploymentsQuery, inspectionQuery, integrationsQuery, repositoriesQuery } from '@/lib/queries/deployments'
import { ModelSample } from './model-sample'

const push = vi.hoisted(() => vi.fn())
vi.mock('next/navigation', () => ({ useRouter: () => ({ push }) }))
vi.mock('@/lib/actions/deployments', () => ({ createDeployment: vi.fn() }))
afterEach(() => {
  cleanup()
  vi.clearAllMocks()
  vi.unstubAllGlobals()
})

const url = 'file:///samples'
const place = { repo_url: url, repo_ref: 'main', graph_config_path: 'assistant/graph.json' }

/** Home where the control plane has these repositories and deployments called assistant. */
function open({ taken = [] as object[], hasConfig = true, repository = 'samples' } = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(deploymentsQuery('w', { name: 'assistant', limit: 1 }).queryKey, { resources: taken } as never)
  client.setQueryData(integrationsQuery('w').queryKey, [{ id: 'i' }] as never)
  client.setQueryData(repositoriesQuery('w', 'i').queryKey, [
    { name: repository, url, default_branch: 'main' },
  ] as never)
  if (hasConfig) client.setQueryData(inspectionQuery('w', 'i', place).queryKey, {} as never)
  else vi.stubGlobal('fetch', async () => new Response('{}', { status: 404 }))
  render(
    <QueryClientProvider client={client}>
      <ModelSample workspace="w" />
    </QueryClientProvider>,
  )
}
const deploy = () => fireEvent.click(screen.getByRole('button', { name: 'Deploy the assistant' }))

test('one click deploys the sample and leads to its secrets, one of which it needs', async () => {
  vi.mocked(createDeployment).mockResolvedValue({ ok: true, data: { deployment: 'd', revision: null } } as never)
  open()
  expect(screen.getByText(/It needs one secret: a key or a base URL\./)).toBeTruthy()
  deploy()
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith('/w/deployments/d/settings/secrets'))
  expect(createDeployment).toHaveBeenCalledOnce()
  expect(JSON.parse(vi.mocked(createDeployment).mock.lastCall?.[0].body ?? '')).toMatchObject({
    name: 'assistant',
    source_config: { integration_id: 'i', repo_url: url },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'assistant/graph.json' },
    secrets: [],
  })
})

test('a refused deployment is told, and a second click is the same request', async () => {
  const error = { code: 'invalid' as const, message: 'Too many deployments.', fields: [], requestId: '' }
  vi.mocked(createDeployment).mockResolvedValue({ ok: false, error })
  open()
  deploy()
  expect((await screen.findByRole('alert')).textContent).toContain('Too many deployments.')
  deploy()
  await vi.waitFor(() => expect(createDeployment).toHaveBeenCalledTimes(2))
  const [first, second] = vi.mocked(createDeployment).mock.calls.map(([{ key }]) => key)
  expect(second).toBe(first)
  expect(push).not.toHaveBeenCalled()
})

test('with an older sample repository nothing is deployed, and the reason is told', async () => {
  open({ hasConfig: false })
  deploy()
  expect((await screen.findByRole('alert')).textContent).toContain('has no assistant, because it is older')
  expect(createDeployment).not.toHaveBeenCalled()
})

test('it is not offered without a sample repository', () => {
  open({ repository: 'mine' })
  expect(screen.queryByRole('button')).toBeNull()
})

test('it is not offered where a deployment has its name', () => {
  open({ taken: [{ id: 'd' }] })
  expect(screen.queryByRole('button')).toBeNull()
})
