import { expect, test } from 'vitest'
import { rollOutOf } from './common/roll-out'
import { stagesOf } from './stages'

const states = (status: string, source = 'github', seen: [string, number][] = []) =>
  stagesOf({ status, source, seen: new Map(seen) }).map(({ id, state }) => `${id} ${state}`)

test('marks an earlier stage as done only if it was seen', () => {
  expect(states('AWAITING_DEPLOY', 'github', [['BUILDING', 5]])).toEqual([
    'CREATING done',
    'QUEUED unsure',
    'AWAITING_BUILD unsure',
    'BUILDING done',
    'AWAITING_DEPLOY current',
    'DEPLOYING ahead',
    'DEPLOYED ahead',
  ])
  expect(states('DEPLOYED').at(-1)).toBe('DEPLOYED done')
  expect(states('DEPLOYED')).toContain('BUILDING unsure')
})

test('shows no build stages for an image, unless the server reports one', () => {
  expect(states('DEPLOYING', 'external_docker')).toEqual([
    'CREATING done',
    'QUEUED unsure',
    'AWAITING_DEPLOY unsure',
    'DEPLOYING current',
    'DEPLOYED ahead',
  ])
  expect(states('BUILDING', 'external_docker')).toContain('BUILDING current')
})

test('shows the failed stage and nothing after it as done', () => {
  expect(states('BUILD_FAILED').slice(3)).toEqual([
    'BUILDING failed',
    'AWAITING_DEPLOY ahead',
    'DEPLOYING ahead',
    'DEPLOYED ahead',
  ])
})

test('ends after the seen stages if interrupted, skipped or in an unknown status', () => {
  expect(states('INTERRUPTED', 'github', [['BUILDING', 5]])).toEqual([
    'CREATING done',
    'QUEUED unsure',
    'AWAITING_BUILD unsure',
    'BUILDING done',
    'INTERRUPTED stopped',
  ])
  expect(states('SKIPPED')).toEqual(['CREATING done', 'SKIPPED stopped'])
  expect(states('PAUSED_BY_POLICY')).toEqual(['CREATING done', 'PAUSED_BY_POLICY current'])
})

test('ignores stages seen before a redeployment', () => {
  expect(states('QUEUED', 'github', [['DEPLOYING', 5]])).toContain('DEPLOYING ahead')
})

const recorded = (status: string, ...statuses: string[]) => {
  const status_history = [...statuses, status].map((one, index) => ({ status: one, at: new Date(index).toISOString() }))
  return stagesOf({ status, source: 'github', seen: new Map(), rollOut: rollOutOf({ status, status_history }) }).map(
    ({ id, state, span }) => `${id} ${state}${span ? ` ${span.from}-${span.to ?? ''}` : ''}`,
  )
}

test('shows recorded stages with their times, and none that was skipped', () => {
  expect(recorded('DEPLOYED', 'CREATING', 'QUEUED', 'DEPLOYING')).toEqual([
    'CREATING done 0-1',
    'QUEUED done 1-2',
    'DEPLOYING done 2-3',
    'DEPLOYED done',
  ])
  expect(recorded('DEPLOY_FAILED', 'CREATING', 'DEPLOYING')).toEqual(['CREATING done 0-1', 'DEPLOYING failed 1-2'])
  expect(recorded('INTERRUPTED', 'CREATING', 'BUILDING')).toEqual([
    'CREATING done 0-1',
    'BUILDING stopped 1-2',
    'INTERRUPTED stopped',
  ])
})

test('shows what is ahead of a recorded roll-out in progress', () => {
  expect(recorded('BUILDING', 'CREATING')).toEqual([
    'CREATING done 0-1',
    'BUILDING current 1-',
    'AWAITING_DEPLOY ahead',
    'DEPLOYING ahead',
    'DEPLOYED ahead',
  ])
})
