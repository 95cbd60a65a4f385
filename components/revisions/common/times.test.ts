import { describe, expect, test } from 'vitest'
import type { Change } from '@/lib/contracts/deployments/changes'
import { activeSpans, tookOf } from './times'
import { triggerOf } from './trigger'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()
const ms = (second: number) => Date.parse(at(second))
const revision = (id: string, status: string, created: number, updated: number) => ({
  id,
  status,
  created_at: at(created),
  updated_at: at(updated),
})
const change = (more: Partial<Change>): Change => ({
  seq: 1,
  at: at(10),
  until: at(11),
  who: 'ann@example.com',
  operation: 'updateDeployment',
  revision: null,
  fields: [],
  isDone: true,
  ...more,
})

describe('duration', () => {
  test('runs from creation to the last change, and stays open until the revision has finished', () => {
    expect(tookOf(revision('a', 'DEPLOYED', 10, 25), [])).toEqual({ from: ms(10), to: ms(25) })
    expect(tookOf(revision('a', 'BUILDING', 10, 25), [])).toEqual({ from: ms(10), to: null })
  })
  test('comes from the recorded statuses, also after a redeployment', () => {
    const history = [
      { status: 'CREATING', at: at(10) },
      { status: 'DEPLOYED', at: at(20) },
      { status: 'QUEUED', at: at(50) },
      { status: 'DEPLOYED', at: at(57) },
    ]
    const again = change({ operation: 'redeployRevision', revision: 'a' })
    const redeployed = { ...revision('a', 'DEPLOYED', 10, 60), status_history: history }
    expect(tookOf(redeployed, [again])).toEqual({ from: ms(50), to: ms(57) })
    expect(activeSpans({ revisions: [redeployed], active: 'a', isWhole: true }).get('a')).toEqual({
      from: ms(57),
      to: null,
    })
  })
  test('is unknown after a redeployment, or with an unknown status or invalid times', () => {
    const again = change({ operation: 'redeployRevision', revision: 'a' })
    for (const span of [
      tookOf(revision('a', 'DEPLOYED', 10, 999), [again]),
      tookOf(revision('a', 'ODD', 10, 20), []),
      tookOf(revision('a', 'DEPLOYED', 20, 10), []),
      tookOf({ ...revision('a', 'DEPLOYED', 20, 10), created_at: 'then' }, []),
    ])
      expect(span).toHaveProperty('unknown')
  })
})

describe('active span', () => {
  test('ends when the next revision took over, and stays open for the active one', () => {
    const revisions = [
      revision('d', 'BUILD_FAILED', 400, 410),
      revision('c', 'DEPLOYED', 300, 310),
      revision('b', 'SKIPPED', 200, 210),
      revision('a', 'DEPLOYED', 100, 110),
    ]
    expect([...activeSpans({ revisions, active: 'c', isWhole: true })]).toEqual([
      ['a', { from: ms(110), to: ms(310) }],
      ['c', { from: ms(310), to: null }],
    ])
  })
  test('handles an old revision that was redeployed', () => {
    const revisions = [revision('b', 'DEPLOYED', 200, 210), revision('a', 'DEPLOYED', 100, 500)]
    expect(activeSpans({ revisions, active: 'a', isWhole: true }).get('b')).toEqual({ from: ms(210), to: ms(500) })
  })
  test('is unknown if the list does not show what came after', () => {
    const revisions = [revision('b', 'DEPLOYED', 200, 210), revision('a', 'DEPLOYED', 100, 110)]
    expect(activeSpans({ revisions, active: 'z', isWhole: false }).get('b')).toHaveProperty('unknown')
    expect(activeSpans({ revisions, active: 'z', isWhole: false }).get('a')).toHaveProperty('unknown')
  })
})

describe('trigger', () => {
  const subject = {
    revision: { id: 'r', created_at: at(10.5), source: 'github', source_revision_config: { repo_commit_sha: 'two' } },
    previous: { source_revision_config: { repo_commit_sha: 'one' } },
    deployment: { created_at: at(0), source_config: { build_on_push: true } },
  }
  test('is the person who changed the deployment from here at that time', () => {
    expect(triggerOf({ ...subject, changes: [change({})] })).toMatchObject({ kind: 'person', who: 'ann@example.com' })
  })
  test('is a push only if build on push is on, the commit is new and no one here asked for it', () => {
    expect(triggerOf({ ...subject, changes: [] }).kind).toBe('push')
    expect(triggerOf({ ...subject, changes: [change({ until: at(11), isDone: false })] }).kind).toBe('push')
    expect(triggerOf({ ...subject, changes: [], previous: subject.revision }).kind).toBe('unknown')
    expect(triggerOf({ ...subject, changes: [], previous: undefined }).kind).toBe('unknown')
    const off = { ...subject.deployment, source_config: { build_on_push: false } }
    expect(triggerOf({ ...subject, changes: [], deployment: off }).kind).toBe('unknown')
  })
  test('is unknown with two candidates, or with a change at another time', () => {
    const other = change({ seq: 2, who: 'bob@example.com' })
    expect(triggerOf({ ...subject, changes: [change({}), other] }).kind).toBe('unknown')
    expect(triggerOf({ ...subject, changes: [change({ at: at(100), until: at(101) })] }).kind).toBe('push')
  })
  test('counts the creation of a deployment only for its first revision', () => {
    const created = change({ operation: 'createDeployment' })
    expect(triggerOf({ ...subject, changes: [created] }).kind).toBe('push')
    expect(triggerOf({ ...subject, deployment: { created_at: at(10.5) }, changes: [created] }).kind).toBe('person')
  })
})
