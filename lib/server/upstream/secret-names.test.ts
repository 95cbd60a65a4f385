import { expect, test } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Role } from '@/lib/contracts/wire/api'
import type { CallContext } from './call-context'
import { mayNameSecrets, visibleTo } from './secret-names'

const seenBy = (
  role: Role,
  secretNames: 'members' | 'admins',
  value: unknown,
  op = controlPlane.getDeployment as never,
) => visibleTo({ role, workspace: { secretNames } } as unknown as CallContext, op, value)

test.each<[Role, 'members' | 'admins', boolean]>([
  ['viewer', 'members', true],
  ['developer', 'members', true],
  ['admin', 'members', true],
  ['viewer', 'admins', false],
  ['developer', 'admins', false],
  ['admin', 'admins', true],
])('a %s may see the names of secrets that are for %s: %j', (role, secretNames, may) => {
  expect(mayNameSecrets(role, { secretNames })).toBe(may)
})

const record = { id: 'd', secrets: [{ name: 'A' }], source_config: { a: 1 } }
const list = { resources: [record, { id: 'e', secrets: [{ name: 'B' }] }, 'odd'], offset: 2 }

test('a record and a list of records lose the names, and nothing else', () => {
  expect(seenBy('developer', 'admins', record)).toEqual({ ...record, secrets: [] })
  expect(seenBy('developer', 'admins', list)).toEqual({
    resources: [{ ...record, secrets: [] }, { id: 'e', secrets: [] }, 'odd'],
    offset: 2,
  })
})

test('a response without secrets stays without them', () => {
  expect(seenBy('viewer', 'admins', { id: 'r', resources: 'x' })).toEqual({ id: 'r', resources: 'x' })
  for (const value of [null, undefined, 'text', 7]) expect(seenBy('viewer', 'admins', value)).toBe(value)
})

test('those who may see the names get the response itself', () => {
  expect(seenBy('admin', 'admins', list)).toBe(list)
  expect(seenBy('viewer', 'members', list)).toBe(list)
})

test('an agent server knows no secrets, so its responses are passed on', () => {
  expect(seenBy('viewer', 'admins', record, agentServer.getThread as never)).toBe(record)
})
