import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import type { Workspace } from '../access/workspaces'
import { knownFeatures, noteFeature, noteMissing, noteOffered } from './known-features'
import { dialectOf, learnDialect } from './learned-dialect'
import { featureOf, missingFeature } from './missing-feature'

const op = (one: unknown) => one as Operation

test.each([
  [agentServer.createCron, 'crons'],
  [agentServer.createThreadCron, 'crons'],
  [agentServer.putItem, 'store'],
  [agentServer.sendA2a, 'a2a'],
  [agentServer.getAgentCard, 'a2a'],
  [agentServer.sendMcp, 'mcp'],
  [agentServer.getMetrics, 'metrics'],
  [agentServer.getDocs, 'docs'],
  [agentServer.getOpenapi, 'docs'],
  [traces.queryTraceRuns, 'traces'],
  [agentServer.getThread, undefined],
  [agentServer.getOk, undefined],
  [controlPlane.getDeployment, undefined],
])('$id belongs to %s', (one, feature) => {
  expect(featureOf(op(one))).toBe(feature)
})

test.each([
  [agentServer.createCron, 404, 'Not Found', 'This agent server does not offer crons (it responded with status 404).'],
  [agentServer.createCron, 405, 'anything', 'This agent server does not offer crons (it responded with status 405).'],
  [agentServer.sendMcp, 501, '', 'This agent server does not offer MCP endpoints (it responded with status 501).'],
  [
    agentServer.putItem,
    500,
    '{ "Not implemented" }',
    'This agent server does not offer a store (it responded with status 500).',
  ],
  [
    agentServer.countThreads,
    404,
    ' {"detail":"Not Found"} ',
    'This agent server does not offer countThreads (it responded with status 404).',
  ],
  [
    controlPlane.listDeployments,
    404,
    '404 page not found',
    'This control plane does not offer listDeployments (it responded with status 404).',
  ],
  [traces.queryTraceRuns, 404, '', 'This tracing server does not offer traces (it responded with status 404).'],
])('$id with status %i and the body %j is not offered', (one, status, text, sentence) => {
  expect(missingFeature(op(one), status, text)).toBe(sentence)
})

test.each([
  [agentServer.getThread, 404, 'Not Found'],
  [agentServer.createCron, 404, 'Thread not found'],
  [agentServer.createCron, 404, '{"detail":"Cron not found"}'],
  [agentServer.createCron, 500, 'Internal Server Error'],
  [agentServer.createCron, 500, 'It is not implemented yet, says the graph'],
  [agentServer.createCron, 503, 'Not Found'],
  [agentServer.createCron, 422, ''],
  [agentServer.createCron, 200, ''],
])('$id with status %i and the body %j failed for another reason', (one, status, text) => {
  expect(missingFeature(op(one), status, text)).toBeUndefined()
})

describe('what is known of a place', () => {
  const shared = globalThis as { pilothouseFeatures?: Map<string, unknown>; pilothouseDialects?: unknown }
  const place = { workspace: 'w', deploymentId: 'd' }
  const unsupported = new AppError('unsupported', 'Not offered.', { upstreamStatus: 404 })
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 })
    shared.pilothouseFeatures = undefined
    shared.pilothouseDialects = undefined
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('lasts ten minutes, and only there', () => {
    noteOffered(place, op(agentServer.createCron))
    noteMissing(place, op(agentServer.sendMcp), unsupported)
    const known = { crons: { state: 'yes' }, mcp: { state: 'no', reason: 'Not offered.' } }
    expect(Object.fromEntries(knownFeatures(place))).toEqual(known)
    for (const other of [
      { workspace: 'w' },
      { workspace: 'w', deploymentId: 'e' },
      { workspace: 'v', deploymentId: 'd' },
    ])
      expect([...knownFeatures(other)]).toEqual([])
    vi.advanceTimersByTime(10 * 60_000 - 1)
    expect(knownFeatures(place).size).toBe(2)
    vi.advanceTimersByTime(1)
    expect(knownFeatures(place).size).toBe(0)
  })

  test('is the newest, one feature at a time', () => {
    noteMissing(place, op(agentServer.createCron), unsupported)
    vi.advanceTimersByTime(9 * 60_000)
    noteOffered(place, op(agentServer.searchCrons))
    vi.advanceTimersByTime(2 * 60_000)
    expect(Object.fromEntries(knownFeatures(place))).toEqual({ crons: { state: 'yes' } })
  })

  test('is nothing for operations that every server has, and for other failures', () => {
    noteOffered(place, op(agentServer.getThread))
    noteFeature(place, undefined, { state: 'yes' })
    noteMissing(place, op(agentServer.createCron), new AppError('unsupported', 'No control plane.'))
    noteMissing(place, op(agentServer.createCron), new AppError('not_found', 'Gone.', { upstreamStatus: 404 }))
    expect(knownFeatures(place).size).toBe(0)
  })

  test('is forgotten when there are too many places', () => {
    for (let index = 0; index < 2_000; index++) noteOffered({ workspace: `w${index}` }, op(agentServer.createCron))
    expect(knownFeatures({ workspace: 'w0' }).size).toBe(1)
    noteOffered(place, op(agentServer.createCron))
    expect([knownFeatures({ workspace: 'w0' }).size, knownFeatures(place).size]).toEqual([0, 1])
  })

  test('includes the dialect, learned once for each address and never against the settings', () => {
    const workspace = { slug: 'w', baseUrl: 'https://a.example', dialect: 'auto' } as Workspace
    const branded = { metadata: { langgraph_node: 'n' } }
    expect(dialectOf(workspace)).toBe('graph')
    learnDialect(workspace, { id: 'd' })
    expect(dialectOf(workspace)).toBe('graph')
    learnDialect(workspace, branded)
    learnDialect(workspace, { metadata: { graph_node: 'n' } })
    expect(dialectOf(workspace)).toBe('langgraph')
    expect(dialectOf({ ...workspace, baseUrl: 'https://b.example' })).toBe('graph')
    expect(dialectOf({ ...workspace, dialect: 'graph' })).toBe('graph')
    const fixed = { ...workspace, slug: 'fixed', dialect: 'graph' } as Workspace
    learnDialect(fixed, branded)
    expect(dialectOf({ ...fixed, dialect: 'auto' })).toBe('graph')
  })
})
