import { describe, expect, test } from 'vitest'
import type { Role } from './api'
import {
  deploymentsWith,
  highest,
  highestRole,
  isLimited,
  lowest,
  NO_RIGHTS,
  type Rights,
  roleAt,
  within,
} from './rights'

test.each<[(Role | null)[], Role | null, Role | null]>([
  [[], null, null],
  [['viewer'], 'viewer', 'viewer'],
  [['viewer', 'admin', 'developer'], 'admin', 'viewer'],
  [['developer', 'viewer'], 'developer', 'viewer'],
  [['admin', 'admin'], 'admin', 'admin'],
  [['admin', null], 'admin', null],
  [[null, 'viewer'], 'viewer', null],
  [[null], null, null],
])('of %j the highest is %s and the lowest %s', (roles, high, low) => {
  expect([highest(roles), lowest(roles)]).toEqual([high, low])
})

const limited: Rights = { role: null, deployments: { a: 'developer', b: 'viewer' } }
const raised: Rights = { role: 'developer', deployments: { a: 'admin', b: 'viewer' } }

describe('rights', () => {
  test('give the higher role at a deployment, and none that is not named', () => {
    expect(['a', 'b', 'c', undefined].map((id) => roleAt(limited, id))).toEqual(['developer', 'viewer', null, null])
    expect(['a', 'b', 'c', undefined].map((id) => roleAt(raised, id))).toEqual([
      'admin',
      'developer',
      'developer',
      'developer',
    ])
    expect(roleAt(limited, 'constructor')).toBeNull()
  })
  test('tell the deployments with a role, or all', () => {
    const told = (rights: Rights) =>
      (['viewer', 'developer', 'admin'] as const).map((role) => deploymentsWith(rights, role))
    expect(told(limited)).toEqual([['a', 'b'], ['a'], []])
    expect(told(raised)).toEqual([null, null, ['a']])
    expect(told(NO_RIGHTS)).toEqual([[], [], []])
  })
  test('are limited without a role for the workspace', () => {
    expect([limited, raised, NO_RIGHTS].map(isLimited)).toEqual([true, false, false])
    expect([limited, raised, NO_RIGHTS].map(highestRole)).toEqual(['developer', 'admin', null])
  })
  test('of a token are at most those of its owner', () => {
    expect(within(limited, 'admin', null)).toEqual(limited)
    expect(within(limited, 'viewer', null)).toEqual({ role: null, deployments: { a: 'viewer', b: 'viewer' } })
    expect(within(limited, 'admin', ['a', 'c'])).toEqual({ role: null, deployments: { a: 'developer' } })
    expect(within(raised, 'admin', ['a', 'c'])).toEqual({ role: null, deployments: { a: 'admin', c: 'developer' } })
    expect(within(raised, 'viewer', null)).toEqual({ role: 'viewer', deployments: { a: 'viewer', b: 'viewer' } })
    expect(within(raised, 'admin', [])).toEqual(NO_RIGHTS)
    expect(within(NO_RIGHTS, 'admin', ['a'])).toEqual(NO_RIGHTS)
  })
})
