import { expect, test } from 'vitest'
import type { Subscription } from '@/lib/contracts/wire/live'
import { NO_RIGHTS, type Rights } from '@/lib/contracts/wire/rights'
import { followed, mayFollow } from './permitted'

const base = { id: 'a', workspace: 'w' }
const list: Subscription = { ...base, kind: 'recordings' }
const one: Subscription = { ...base, kind: 'deployment', deployment: 'one' }
const ofOne: Rights = { role: null, deployments: { one: 'viewer' } }
const ofOther: Rights = { role: null, deployments: { other: 'admin' } }
const ofAll: Rights = { role: 'viewer', deployments: {} }

test.each<[Rights, Subscription, boolean]>([
  [NO_RIGHTS, list, false],
  [NO_RIGHTS, one, false],
  [ofOther, one, false],
  [ofOther, list, true],
  [ofOne, one, true],
  [ofAll, one, true],
  [ofAll, list, true],
])('rights %j may follow %j: %s', (rights, wanted, may) => {
  expect(mayFollow(rights, wanted)).toBe(may)
})

test('a list tells only of the deployments that the rights name, or of all', () => {
  expect([followed(NO_RIGHTS), followed(ofOther), followed(ofAll)]).toEqual([[], ['other'], null])
})
