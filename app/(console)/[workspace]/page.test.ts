import { Children, isValidElement, type ReactElement, type ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import { AddDeployment } from '@/components/deployments/add-deployment'
import { ModelSample } from '@/components/deployments/model-sample'
import { HomeChat } from '@/components/runs/chat/home-chat'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { prefetchRead } from '@/lib/server/relay/prefetch'
import { Attention } from './attention'
import Page from './page'

vi.mock('next/headers', () => ({ cookies: async () => new Map() }))
vi.mock('@/lib/server/access/page-actor', () => ({ pageWorkspace: vi.fn() }))
vi.mock('@/lib/server/relay/prefetch', () => ({ prefetchRead: vi.fn() }))
vi.mock('./recordings', () => ({ visibleRecordings: async () => ({ items: [] }) }))
vi.mock('./first-steps', () => ({ firstSteps: async () => [] }))

const elementsIn = (node: ReactNode): ReactElement[] =>
  Children.toArray(node).flatMap((one) =>
    isValidElement<{ children?: ReactNode }>(one) ? [one, ...elementsIn(one.props.children)] : [],
  )

test.each([
  ['embedded', 'admin', true],
  ['embedded', 'developer', false],
  ['embedded', 'viewer', false],
  ['control-plane', 'admin', false],
] as const)('on the Home of a workspace that is %s the %s is offered the sample: %s', async (kind, role, isOffered) => {
  vi.mocked(pageWorkspace).mockResolvedValue({
    actor: {},
    current: { kind, role, rights: { role, deployments: {} } },
  } as never)
  const page = await Page({ params: Promise.resolve({ workspace: 'w' }), searchParams: Promise.resolve({}) })
  expect(elementsIn(page).some(({ type }) => type === ModelSample)).toBe(isOffered)
})

test('Home leads to a first deployment where there is none', async () => {
  vi.mocked(pageWorkspace).mockResolvedValue({
    ...{ actor: {}, current: { kind: 'embedded', role: 'admin', rights: { role: 'admin', deployments: {} } } },
  } as never)
  const page = await Page({ params: Promise.resolve({ workspace: 'w' }), searchParams: Promise.resolve({}) })
  const chat = elementsIn(page).find(({ type }) => type === HomeChat)
  expect(chat?.props).toMatchObject({ add: { type: AddDeployment, props: { workspace: 'w' } } })
})

test.each([
  ['nothing is wrong', { deployments: [], runs: [] }, true],
  ['a deployment fails', { deployments: [{}], runs: [] }, false],
  ['a run failed', { deployments: [], runs: [{}] }, false],
])('before its first run, a console begins with the chat unless something is wrong: %s', async (_, rows, isFirst) => {
  vi.mocked(pageWorkspace).mockResolvedValue({
    ...{ actor: {}, current: { kind: 'embedded', role: 'admin', rights: { role: 'admin', deployments: {} } } },
  } as never)
  vi.mocked(prefetchRead).mockImplementation(async (key) => ({
    rows: key.includes('listDeployments') ? rows.deployments : key.includes('listRuns') ? rows.runs : [],
  }))
  const page = await Page({ params: Promise.resolve({ workspace: 'w' }), searchParams: Promise.resolve({}) })
  const types = elementsIn(page).map(({ type }) => type)
  expect(types.indexOf(HomeChat) < types.indexOf(Attention)).toBe(isFirst)
})
