import { describe, expect, test } from 'vitest'
import { REVISION_STATUSES_IN_PROGRESS } from '../wire/state'
import {
  type DeploymentRow,
  healthGroup,
  isRowMoving,
  type ROW_SORTS,
  revisionState,
  rowHealth,
  rowOf,
  sortRows,
} from './deployment-row'
import { Deployment } from './deployments'
import { hasServer, whyNoServer } from './has-server'

const record = Deployment.parse({
  id: 'd',
  name: 'chat',
  status: 'READY',
  source: 'github',
  source_config: { deployment_type: 'prod', repo_url: 'https://git.example/a', custom_url: 'https://chat.example' },
  source_revision_config: { repo_ref: 'main', repo_commit_sha: 'c0ffee', image_uri: 'chat:1' },
  image_version: '0.5',
  listener: { name: 'east', away: null },
  secrets: [{ name: 'A' }, { name: 'B' }],
  latest_revision_id: 'r2',
  active_revision_id: 'r1',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
})
const revisions = (id: string) => (id === 'r2' ? { status: 'BUILDING', created_at: '2026-01-02T00:00:00Z' } : undefined)

describe('a row', () => {
  test('has the shown fields of the record and its two revisions', () => {
    expect(rowOf(record, revisions, new Map())).toEqual({
      id: 'd',
      name: 'chat',
      status: 'READY',
      source: 'github',
      type: 'prod',
      repo: 'https://git.example/a',
      ref: 'main',
      commit: 'c0ffee',
      image: 'chat:1',
      url: 'https://chat.example',
      imageVersion: '0.5',
      secrets: ['A', 'B'],
      listener: { name: 'east', away: null },
      latest: { id: 'r2', status: 'BUILDING', at: '2026-01-02T00:00:00Z' },
      active: { id: 'r1', status: null, at: null },
      failing: null,
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-02T00:00:00Z',
    })
  })

  test('has the time since when a revision has its status, where that was kept', () => {
    const times = [
      { status: 'BUILDING', at: '2026-01-02T00:00:01Z' },
      { status: 'BUILD_FAILED', at: '2026-01-02T00:04:00Z' },
    ]
    const failed = { status: 'BUILD_FAILED', created_at: '2026-01-02T00:00:00Z' }
    const latest = (status_history?: typeof times) =>
      rowOf(record, () => revisionState({ ...failed, status_history })).latest
    expect(latest(times)).toMatchObject({ at: '2026-01-02T00:00:00Z', since: '2026-01-02T00:04:00Z' })
    expect(latest(times.slice(0, 1))?.since).toBeUndefined()
    expect(latest()?.since).toBeUndefined()
  })

  test('has null for what the record does not say', () => {
    const bare = Deployment.parse({ ...record, source_config: {}, source_revision_config: {}, secrets: null })
    const none = { ...bare, latest_revision_id: null, active_revision_id: undefined, image_version: undefined }
    const { type, repo, ref, commit, image, url, imageVersion, latest, active, secrets } = rowOf(none, revisions)
    expect([type, repo, ref, commit, image, url, imageVersion, latest, active]).toEqual(Array(9).fill(null))
    expect(secrets).toEqual([])
  })
})

const revised = (status: string, latest: [id: string, status: string | null] | null, active: string | null) => ({
  status,
  latest: latest && { id: latest[0], status: latest[1] },
  active: active === null ? null : { id: active },
  failing: null,
})

test.each([
  // Status, latest revision, active one; then health, group and whether it is polled often.
  ['READY', ['r1', 'DEPLOYED'], 'r1', 'ok', 'ok', false],
  ['READY', ['r1', null], 'r1', 'ok', 'ok', false],
  ['READY', ['r2', 'DEPLOYED'], 'r1', 'ok', 'ok', false],
  ['READY', ['r2', 'BUILDING'], 'r1', 'progress', 'progress', true],
  ['READY', ['r1', 'DEPLOYING'], 'r1', 'progress', 'progress', true],
  ['READY', ['r2', 'BUILD_FAILED'], 'r1', 'warn', 'failing', false],
  ['READY', ['r2', 'BUILD_FAILED'], null, 'error', 'failing', false],
  ['READY', ['r2', null], 'r1', 'unknown', 'unknown', true],
  ['READY', ['r2', null], null, 'unknown', 'unknown', true],
  ['READY', null, 'r1', 'unknown', 'unknown', false],
  ['READY', null, null, 'unknown', 'unknown', false],
  ['AWAITING_DATABASE', ['r2', null], null, 'progress', 'progress', true],
  ['AWAITING_DATABASE', null, null, 'progress', 'progress', true],
  ['AWAITING_DELETE', ['r1', 'DEPLOYED'], 'r1', 'progress', 'progress', true],
] as const)('%s with the latest revision %j and %s active: %s', (status, latest, active, level, group, isMoving) => {
  const row = revised(status, latest && [...latest], active)
  expect([rowHealth(row).level, healthGroup(row), isRowMoving(row)]).toEqual([level, group, isMoving])
})

test('health says that the latest revision could not be read, unless it is the one that serves', () => {
  expect(rowHealth(revised('READY', ['r2', null], 'r1'))).toEqual({
    level: 'unknown',
    label: 'Unknown',
    detail: 'Its latest revision could not be read. The console keeps trying.',
  })
  expect(rowHealth(revised('READY', null, null)).label).toBe('No revision')
  expect(rowHealth({ ...revised('READY', null, null), source: 'external' }).label).toBe('Attached')
  expect(rowHealth(revised('AWAITING_DELETE', ['r2', null], 'r1')).label).toBe('Deleting')
})

test('a deployment whose runs fail is failing, unless it is already known to be so or in progress', () => {
  const failing = { since: Date.parse('2026-01-01T14:00:00Z'), runs: 1_200, failed: 400 }
  expect(rowHealth({ ...revised('READY', ['r1', null], 'r1'), failing })).toMatchObject({
    level: 'error',
    label: 'Runs fail',
    detail: '33% of 1,200 runs failed since 2026-01-01T14:00:00.000Z.',
  })
  expect(healthGroup({ ...revised('READY', ['r1', null], 'r1'), failing })).toBe('failing')
  expect(rowHealth({ ...revised('READY', null, null), source: 'external', failing }).label).toBe('Runs fail')
  expect(rowHealth({ ...revised('READY', ['r2', null], 'r1'), failing }).label).toBe('Runs fail')
  expect(rowHealth({ ...revised('READY', ['r2', 'BUILD_FAILED'], 'r1'), failing }).label).toBe('Build failed')
  expect(rowHealth({ ...revised('READY', ['r2', 'BUILDING'], 'r1'), failing }).label).toBe('Building')
})

test('health is unknown while the runs are still being read, unless more is known', () => {
  const unread = { ...revised('READY', ['r1', null], 'r1'), failing: undefined }
  expect(rowHealth(unread)).toEqual({ level: 'unknown', label: 'Unknown', detail: 'Its runs are still being read.' })
  expect(isRowMoving(unread)).toBe(true)
  expect(rowHealth({ ...revised('READY', ['r2', 'BUILDING'], 'r1'), failing: undefined }).label).toBe('Building')
})

test('a row moves in every status in progress, and in no other', () => {
  for (const status of REVISION_STATUSES_IN_PROGRESS)
    expect(isRowMoving(revised('READY', ['r1', status], 'r1'))).toBe(true)
  for (const status of ['SKIPPED', 'INTERRUPTED', 'DEPLOY_FAILED', 'UNKNOWN', 'A_NEWER_ONE'])
    expect(isRowMoving(revised('READY', ['r2', status], 'r1'))).toBe(false)
})

describe('the order of rows', () => {
  const row = (id: string, more: Partial<DeploymentRow> = {}): DeploymentRow => ({
    ...rowOf(record, () => ({ status: 'DEPLOYED', created_at: '2026-01-01T00:00:00Z' }), new Map()),
    id,
    latest: { id: 'r1', status: 'DEPLOYED', at: null },
    active: { id: 'r1', status: 'DEPLOYED', at: null },
    ...more,
  })
  const failed = { id: 'r2', status: 'BUILD_FAILED', at: null }
  const rows = [
    row('ok', { name: 'item 10', updatedAt: '2026-01-03T00:00:00Z' }),
    row('building', { name: 'item 9', latest: { id: 'r2', status: 'BUILDING', at: null } }),
    row('unknown', { name: 'Zebra', latest: null, updatedAt: '2026-01-05T00:00:00Z' }),
    row('warn', { name: 'apple', latest: failed, updatedAt: '2026-01-04T12:00:00+02:00' }),
    row('error', { name: 'item 9', latest: failed, active: null, updatedAt: '2026-01-04T11:00:00Z' }),
  ]
  const ordered = (sort: (typeof ROW_SORTS)[number]) => sortRows(rows, sort).map(({ id }) => id)

  test('is the control plane’s for "created"', () => {
    expect(ordered('created')).toEqual(['ok', 'building', 'unknown', 'warn', 'error'])
    expect(sortRows(rows, 'created')).not.toBe(rows)
  })
  test('has the most urgent first for "health"', () =>
    expect(ordered('health')).toEqual(['error', 'warn', 'unknown', 'building', 'ok']))
  test('compares numbers in names by their value, and keeps equal names as they are', () =>
    expect(ordered('name')).toEqual(['warn', 'building', 'error', 'ok', 'unknown']))
  test('has the newest first for "updated", in any time zone', () =>
    expect(ordered('updated')).toEqual(['unknown', 'error', 'warn', 'ok', 'building']))
})

test.each([
  ['github', 'https://a.example', 'r1', true],
  ['github', 'https://a.example', undefined, true],
  ['github', 'https://a.example', null, false],
  ['external', 'https://a.example', null, true],
  ['external', '', null, false],
  ['github', null, 'r1', false],
] as const)(
  'a deployment from %s with the address %j and the active revision %j has a server: %j',
  (source, custom_url, active_revision_id, has) => {
    expect(hasServer({ source, source_config: { custom_url } as never, active_revision_id })).toBe(has)
  },
)

test.each([
  [null, /no revision yet/],
  ['BUILDING', /in progress/],
  ['BUILD_FAILED', /build of the latest one failed.*build log/],
  ['DEPLOY_FAILED', /roll-out of the latest one failed.*deploy log/],
  ['CREATE_FAILED', /: the latest one failed/],
  ['INTERRUPTED', /has been deployed yet/],
  ['NEWER', /has been deployed yet/],
])('a deployment that never rolled out and whose latest revision is %j says why it has no server', (latest, why) => {
  expect(whyNoServer(latest)).toMatch(why)
})
