import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Actor, actorOfToken, memberRights, rightsIn, rightsOf, roleOf, systemActor } from './actor'
import { roleFromClaims, rolesFromClaims } from './oidc'

const token: Actor = { id: 'token:t', email: '', kind: 'token', token: { id: 't', workspace: 'w' } }

describe('a token', () => {
  test('is shown with the address of its owner, or as a service account', () => {
    const usable = { id: 't', workspace: 'w', name: 'ci', role: 'viewer', deployments: ['a'], account: null } as const
    expect(actorOfToken({ ...usable, email: 'ann@example.com' } as never)).toEqual({
      ...{ id: 'token:t', email: 'ann@example.com (token ci)', kind: 'token' },
      token: { id: 't', workspace: 'w' },
    })
    expect(actorOfToken({ ...usable, email: null } as never).email).toBe('ci (service account)')
  })
  test('has no role in another workspace, and no memberships', async () => {
    expect(await roleOf(token, 'other')).toBeNull()
    expect(await roleOf({ id: 'token:t', email: '', kind: 'token' }, 'w')).toBeNull()
    expect(await memberRights(token)).toEqual([])
  })
})

test('the console itself reads everything and changes nothing', async () => {
  const poller = systemActor('poller')
  expect(poller).toEqual({ id: 'system:poller', email: '', kind: 'system' })
  expect(await roleOf(poller, 'any')).toBe('viewer')
  const limited = systemActor('poller', ['a'])
  expect(await rightsOf(limited, 'any')).toEqual({ role: null, deployments: { a: 'viewer' } })
  expect(await roleOf(limited, 'any', 'b')).toBeNull()
})

afterEach(() => void vi.useRealTimers())

test('a session that has ended, or has its initial password, gives no roles', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const session = { id: 's', version: 1, endsAt: Date.now() + 60_000 }
  const person: Actor = { id: 'p', email: '', kind: 'user', session }
  expect(await memberRights({ ...person, session: { ...session, endsAt: Date.now() } })).toEqual([])
  expect(await memberRights({ ...person, session: { ...session, hasInitialPassword: true } })).toEqual([])
})

test('memberships give the highest role, and the deployments of the workspace itself', () => {
  const everywhere = { workspace: '*', role: 'developer' as const, deployments: { a: 'admin' as const } }
  const desk = { workspace: 'desk', role: 'viewer' as const, deployments: { b: 'admin' as const } }
  const bench = { workspace: 'bench', role: 'admin' as const, deployments: {} }
  const all = [everywhere, desk, bench]
  expect(rightsIn(all, 'desk')).toEqual({ role: 'developer', deployments: { b: 'admin' } })
  expect(rightsIn(all, 'bench')).toEqual({ role: 'admin', deployments: {} })
  expect(rightsIn(all, 'other')).toEqual({ role: 'developer', deployments: {} })
  expect(rightsIn(all, '*')).toEqual({ role: 'developer', deployments: {} })
  expect(rightsIn([desk], 'bench')).toEqual({ role: null, deployments: {} })
})

describe('roles from claims', () => {
  const map = [
    { claim: 'staff', role: 'viewer' as const },
    { claim: 'ops', role: 'admin' as const, workspace: 'first' },
    { claim: 'ops', role: 'developer' as const, workspace: 'other' },
    { claim: '*', role: 'viewer' as const, workspace: 'open' },
    { claim: 'boss', role: 'admin' as const, workspace: 'open' },
  ]
  const roles = (groups: unknown, first: string | null = 'first', given: typeof map | undefined = map) =>
    Object.fromEntries(rolesFromClaims({ groups }, 'groups', given, first))

  test('are set in each workspace that the map names, and in the first one', () => {
    expect(roles(['ops', 'staff'])).toEqual({ first: 'admin', other: 'developer', open: 'viewer' })
    expect(roles(['staff', 'boss'])).toEqual({ first: 'viewer', other: null, open: 'admin' })
    expect(roles([])).toEqual({ first: null, other: null, open: 'viewer' })
  })
  test('name no first workspace if there is none', () => {
    expect(roles(['ops', 'staff'], null)).toEqual({ first: 'admin', other: 'developer', open: 'viewer' })
  })
  test('make everybody a viewer of the first workspace without a map', () => {
    expect(Object.fromEntries(rolesFromClaims({ groups: ['ops'] }, 'groups', undefined, 'first'))).toEqual({
      first: 'viewer',
    })
    expect(rolesFromClaims({}, 'groups', undefined, null).size).toBe(0)
  })
  test.each([
    [{ a: { b: ['ops'] } }, 'a.b', 'admin'],
    [{ a: { b: 'ops' } }, 'a.b', 'admin'],
    [{ a: 'ops' }, 'a.b', null],
    [{ a: ['x', 'ops'] }, 'a.1', 'admin'],
    [{ a: ['ops', 7] }, 'a', 'admin'],
    [{ a: null }, 'a.b', null],
    [null, 'a', null],
    [{ a: [['ops']] }, 'a', null],
    [{}, 'constructor.name', null],
  ])('are read from %j at %s: %s', (claims, path, role) => {
    expect(roleFromClaims(claims, path, [{ claim: 'ops', role: 'admin' }])).toBe(role)
  })
  test('are not single letters of a text', () => {
    expect(roleFromClaims({ a: 'ops' }, 'a.0', [{ claim: 'o', role: 'admin' }])).toBeNull()
  })
})
