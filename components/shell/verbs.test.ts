import { expect, test } from 'vitest'
import { matches, readSearch } from './verbs'

test.each([
  ['start run on concierge', ['run'], 'concierge'],
  ['Start a run on support-agent', ['run'], 'support-agent'],
  ['new thread', ['chat'], ''],
  ['logs of billing-agent-prod', ['logs'], 'billing-agent-prod'],
  ['roll back concierge', ['rollback'], 'concierge'],
  ['redep', ['redeploy'], ''],
  ['secrets', ['secrets'], ''],
  ['concierge', [], 'concierge'],
  ['', [], ''],
])('%j means %j of the deployment %j', (search, verbs, name) => {
  const read = readSearch(search)
  expect([read.verbs.map(({ id }) => id), read.name]).toEqual([verbs, name])
})

test.each([
  ['deployment concierge', 'conc', true],
  ['deployment concierge', 'cierge', false],
  ['deployment support-agent', 'agent', true],
  ['Start a run on concierge', 'start run conc', true],
  ['Start a run on concierge', 'run start', false],
  ['page Threads', 'th', true],
  ['page Threads', 'reads', false],
  ['anything', '', true],
])('%j is found by %j: %s', (text, search, isFound) => {
  expect(matches(text, search)).toBe(isFound)
})
