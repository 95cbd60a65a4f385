import { expect, test } from 'vitest'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { compareRevisions } from './compare'

const revision = (id: string, config: Revision['source_revision_config']): Revision => ({
  id,
  status: 'DEPLOYED',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  source: 'github',
  source_revision_config: config,
})
const old = revision('old', { repo_ref: 'main', repo_commit_sha: 'one', graph_config_path: 'graph.json' })
const latest = revision('latest', { repo_ref: 'main', repo_commit_sha: 'two', graph_config_path: 'graph.json' })
const deployment = {
  latest_revision_id: 'latest',
  source_config: { resource_spec: { cpu: 2, min_scale: null } },
  secrets: [{ name: 'B' }, { name: 'A' }],
}
const by = (name: string, rows: ReturnType<typeof compareRevisions>) => rows.find((row) => row.name === name)

test('lists changed, unchanged and missing values', () => {
  const rows = compareRevisions(old, latest, deployment)
  expect(by('Commit', rows)).toMatchObject({ a: 'one', b: 'two', verdict: 'changed' })
  expect(by('Ref', rows)).toMatchObject({ verdict: 'same' })
  expect(by('Image', rows)).toMatchObject({ a: null, b: null, verdict: 'same' })
})

test('knows secrets and resources of the latest revision only, and gives no verdict from one side', () => {
  const rows = compareRevisions(old, latest, deployment)
  expect(by('Names', rows)).toMatchObject({ a: undefined, b: 'A, B', verdict: 'unknown' })
  expect(by('cpu', rows)).toMatchObject({ a: undefined, b: '2', verdict: 'unknown' })
  expect(by('min_scale', rows)).toBeUndefined()
  expect(by('Build command', rows)).toMatchObject({ a: undefined, b: undefined, verdict: 'unknown' })
})

test('omits secret names if the user may not see them', () => {
  const { secrets: _, ...visible } = deployment
  expect(by('Names', compareRevisions(old, latest, visible))).toBeUndefined()
})

test('finds no difference between a revision and itself', () => {
  expect(compareRevisions(latest, latest, deployment).every(({ verdict }) => verdict === 'same')).toBe(true)
  expect(compareRevisions(old, old, undefined).every(({ verdict }) => verdict === 'same')).toBe(true)
})
