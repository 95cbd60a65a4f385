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

describe('how long it took', () => {
  test('is from creation to the last change once it has ended, and goes on before that', () => {
    expect(tookOf(revision('a', 'DEPLOYED', 10, 25), [])).toEqual({ from: ms(10), to: ms(25) })
    expect(tookOf(revision('a', 'BUILDING', 10, 25), [])).toEqual({ from: ms(10), to: null })
  })
  test('is not claimed of one that was rolled out again, or of a status or times that say nothing', () => {
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

describe('while which it served', () => {
  test('is until the next one took over, and for the active one until now', () => {
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
  test('follows an old one that was rolled out again', () => {
    const revisions = [revision('b', 'DEPLOYED', 200, 210), revision('a', 'DEPLOYED', 100, 500)]
    expect(activeSpans({ revisions, active: 'a', isWhole: true }).get('b')).toEqual({ from: ms(210), to: ms(500) })
  })
  test('is not claimed where the list does not show what came after', () => {
    const revisions = [revision('b', 'DEPLOYED', 200, 210), revision('a', 'DEPLOYED', 100, 110)]
    expect(activeSpans({ revisions, active: 'z', isWhole: false }).get('b')).toHaveProperty('unknown')
    expect(activeSpans({ revisions, active: 'z', isWhole: false }).get('a')).toHaveProperty('unknown')
  })
})

describe('what made it', () => {
  const subject = {
    revision: { id: 'r', created_at: at(10.5), source: 'github', source_revision_config: { repo_commit_sha: 'two' } },
    previous: { source_revision_config: { repo_commit_sha: 'one' } },
    deployment: { created_at: at(0), source_config: { build_on_push: true } },
  }
  test('is who changed the deployment from here at that moment', () => {
    expect(triggerOf({ ...subject, changes: [change({})] })).toMatchObject({ kind: 'person', who: 'ann@example.com' })
  })
  test('is a push only where builds on push are on, the commit is new and nobody here asked', () => {
    expect(triggerOf({ ...subject, changes: [] }).kind).toBe('push')
    expect(triggerOf({ ...subject, changes: [change({ until: at(11), isDone: false })] }).kind).toBe('push')
    expect(triggerOf({ ...subject, changes: [], previous: subject.revision }).kind).toBe('unknown')
    expect(triggerOf({ ...subject, changes: [], previous: undefined }).kind).toBe('unknown')
    const off = { ...subject.deployment, source_config: { build_on_push: false } }
    expect(triggerOf({ ...subject, changes: [], deployment: off }).kind).toBe('unknown')
  })
  test('is not guessed between two people, nor from a change at another time', () => {
    const other = change({ seq: 2, who: 'bob@example.com' })
    expect(triggerOf({ ...subject, changes: [change({}), other] }).kind).toBe('unknown')
    expect(triggerOf({ ...subject, changes: [change({ at: at(100), until: at(101) })] }).kind).toBe('push')
  })
  test('takes a creation of some deployment only for the first revision', () => {
    const created = change({ operation: 'createDeployment' })
    expect(triggerOf({ ...subject, changes: [created] }).kind).toBe('push')
    expect(triggerOf({ ...subject, deployment: { created_at: at(10.5) }, changes: [created] }).kind).toBe('person')
  })
})
