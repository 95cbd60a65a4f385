import { expect, test } from 'vitest'
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
