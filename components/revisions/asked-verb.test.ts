import { expect, test } from 'vitest'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { nothingFor, revisionFor } from './asked-verb'

const revision = (id: string, day: number, status = 'DEPLOYED') =>
  ({ id, status, created_at: `2026-01-0${day}T00:00:00Z` }) as Revision
const deployment = (active: string | null, latest = 'd', status = 'READY') =>
  ({ active_revision_id: active, latest_revision_id: latest, status }) as Deployment

const all = [revision('a', 1), revision('b', 2, 'BUILD_FAILED'), revision('c', 3), revision('d', 4)]

test('a roll-back is to the newest revision that was deployed before the active one', () => {
  expect(revisionFor('rollBack', deployment('d'), all)?.id).toBe('c')
  expect(revisionFor('rollBack', deployment('c'), all.toReversed())?.id).toBe('a')
  expect(revisionFor('rollBack', deployment('a'), all)).toBeUndefined()
  expect(revisionFor('rollBack', deployment(null), all)).toBeUndefined()
  expect(revisionFor('rollBack', deployment('d', 'd', 'AWAITING_DELETE'), all)).toBeUndefined()
})

test('a redeployment is of the latest revision, once it has ended, also if another one serves', () => {
  expect(revisionFor('redeploy', deployment('a', 'b'), all)?.id).toBe('b')
  expect(revisionFor('redeploy', deployment(null, 'b'), all)?.id).toBe('b')
  expect(revisionFor('redeploy', deployment('d'), [revision('d', 4, 'BUILDING')])).toBeUndefined()
})

test('a failed revision that never served needs no roll-back, which is said', () => {
  const two = [revision('a', 1), revision('b', 2, 'BUILD_FAILED')]
  expect(nothingFor('rollBack', deployment('a', 'b'), two)).toContain('an earlier one keeps serving')
  expect(nothingFor('rollBack', deployment('a', 'a'), two)).toContain('no revision that was deployed before')
  expect(nothingFor('redeploy', deployment('a', 'b'), two)).toContain('no revision to redeploy')
})
