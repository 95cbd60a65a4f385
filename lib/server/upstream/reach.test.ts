import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rowsOf } from '@/e2e/support/sample-inputs'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { authorize } from './call-context'
import { deploymentsNamed, type Reach, reachOf } from './reach'

// Every operation for members who have roles for some deployments only. The table is written by hand: a new operation of the
// control plane or of traces needs a line.

const REACH: Record<string, Reach> = {
  'control-plane.listDeployments': 'deployments',
  'control-plane.createDeployment': 'workspace',
  'control-plane.deleteDeployments': 'workspace',
  'control-plane.countFreeDeployments': 'workspace',
  'control-plane.getDeployment': 'deployment',
  'control-plane.updateDeployment': 'deployment',
  'control-plane.deleteDeployment': 'deployment',
  'control-plane.createUploadUrl': 'deployment',
  'control-plane.updateDeploymentTier': 'deployment',
  'control-plane.updateResourceTiers': 'deployment',
  'control-plane.listRevisions': 'deployment',
  'control-plane.createRevision': 'deployment',
  'control-plane.getRevision': 'deployment',
  'control-plane.redeployRevision': 'deployment',
  'control-plane.interruptRevision': 'deployment',
  'control-plane.listRevisionLogs': 'deployment',
  'control-plane.listDeploymentLogs': 'deployment',
  'control-plane.searchDeploymentLogs': 'deployment',
  'control-plane.listGithubIntegrations': 'workspace',
  'control-plane.listGithubRepositories': 'workspace',
  'control-plane.inspectRepository': 'workspace',
  'control-plane.listRepositoryRefs': 'workspace',
  'control-plane.listForgeIntegrations': 'workspace',
  'control-plane.listForgeRepositories': 'workspace',
  'control-plane.listGithubInstallations': 'workspace',
  'control-plane.listInstallationRepositories': 'workspace',
  'control-plane.createInstallationLink': 'workspace',
  'control-plane.getRetention': 'workspace',
  'control-plane.updateRetention': 'workspace',
  'control-plane.listListeners': 'workspace',
  'control-plane.createListener': 'workspace',
  'control-plane.getListener': 'workspace',
  'control-plane.updateListener': 'workspace',
  'control-plane.deleteListener': 'workspace',
  'control-plane.renewListenerToken': 'workspace',
  'control-plane.revokeListenerToken': 'workspace',
  'traces.getTracingInfo': 'deployments',
  'traces.createTraceRun': 'workspace',
  'traces.updateTraceRun': 'workspace',
  'traces.createTraceRunBatch': 'workspace',
  'traces.createTraceRunMultipart': 'workspace',
  'traces.queryTraceRuns': 'deployments',
  'traces.getTraceTotals': 'deployments',
  'traces.listTraceTree': 'deployments',
  'traces.getTraceRun': 'deployments',
  'traces.getTraceAttachment': 'deployments',
  'traces.listTracingProjects': 'deployments',
  'traces.createTracingProject': 'workspace',
  'traces.getTracingProject': 'deployments',
  'traces.updateTracingProject': 'workspace',
  'traces.deleteTracingProject': 'workspace',
  'traces.createFeedback': 'deployments',
}

const rows = rowsOf(controlPlane, agentServer, traces)
const [OWN, OTHER] = ['own', 'other']

test('every operation reaches what the table says, and those of agent servers one deployment', () => {
  const reach = rows.map(([name, op]) => [name, reachOf(op)] as const)
  const agents = rowsOf(agentServer).map(([name]) => [name, 'deployment'] as const)
  expect(Object.fromEntries(reach)).toEqual({ ...REACH, ...Object.fromEntries(agents) })
})

test('a search of logs names all deployments that it asks for', () => {
  const named = (query?: unknown) => deploymentsNamed(controlPlane.searchDeploymentLogs, { workspace: 'w', query })
  expect(named({ deployment_id: [OWN, OTHER] })).toEqual([OWN, OTHER])
  expect([named('own'), named()]).toEqual([[], []])
  // In other operations it is no deployment's name.
  const { listDeploymentLogs } = controlPlane
  expect(deploymentsNamed(listDeploymentLogs, { workspace: 'w', query: { deployment_id: OTHER } })).toEqual([])
})

let home: TestConsole
let people: Record<'admin' | 'viewer' | 'raised', Actor>
beforeAll(async () => {
  home = await testConsole({ CONTROL_PLANE_URL: 'http://127.0.0.1:9' })
  people = {
    admin: await testActor({ default: { [OWN]: 'admin' } }),
    viewer: await testActor({ default: { [OWN]: 'viewer' } }),
    raised: await testActor({ default: { role: 'viewer', deployments: { [OWN]: 'admin' } } }),
  }
})
afterAll(() => home.close())

/** How an operation names a deployment. */
const inputFor = (name: string, deployment: string) => {
  if (name.startsWith('agent-server.')) return { workspace: 'default', deploymentId: deployment }
  if (name === 'control-plane.searchDeploymentLogs')
    return { workspace: 'default', query: { deployment_id: deployment } }
  return { workspace: 'default', params: { deployment_id: deployment } }
}

describe.each(rows)('%s', (name, op) => {
  const tell = (who: keyof typeof people, input: Parameters<typeof authorize>[1]) =>
    authorize(op, input, people[who]).then(
      ({ role, limit }) => ({ role, limit }),
      (error: unknown) => (error instanceof AppError ? error.code : Promise.reject(error)),
    )
  const nothing = { workspace: 'default' }
  const isForViewers = op.role === 'viewer'

  if (reachOf(op) === 'deployment')
    test('needs the role at its deployment', async () => {
      expect(deploymentsNamed(op, inputFor(name, OWN))).toEqual([OWN])
      expect(await tell('admin', inputFor(name, OWN))).toEqual({ role: 'admin', limit: null })
      expect(await tell('admin', inputFor(name, OTHER))).toBe('not_found')
      expect(await tell('viewer', inputFor(name, OWN))).toEqual(
        isForViewers ? { role: 'viewer', limit: null } : 'forbidden',
      )
      expect(await tell('raised', inputFor(name, OWN))).toEqual({ role: 'admin', limit: null })
      expect(await tell('raised', inputFor(name, OTHER))).toEqual(
        isForViewers ? { role: 'viewer', limit: null } : 'forbidden',
      )
      // A check before anything is sent.
      expect(await tell('admin', nothing)).toEqual({ role: op.role, limit: [OWN] })
      // Naming an own deployment as well does not help.
      if (op.api === 'control-plane')
        expect(await tell('admin', { ...inputFor(name, OTHER), deploymentId: OWN })).toBe('not_found')
    })
  else
    test('does not count roles at a deployment that an input names anyway', async () => {
      const named = { ...nothing, deploymentId: OWN, params: { deployment_id: OWN }, query: { deployment_id: OWN } }
      for (const input of [nothing, named]) {
        const isNarrowed = reachOf(op) === 'deployments'
        expect(await tell('admin', input)).toEqual(isNarrowed ? { role: op.role, limit: [OWN] } : 'not_found')
        expect(await tell('viewer', input)).toEqual(
          isNarrowed ? (isForViewers ? { role: 'viewer', limit: [OWN] } : 'forbidden') : 'not_found',
        )
        expect(await tell('raised', input)).toEqual(
          isForViewers ? { role: 'viewer', limit: null } : isNarrowed ? { role: op.role, limit: [OWN] } : 'forbidden',
        )
      }
    })
})
