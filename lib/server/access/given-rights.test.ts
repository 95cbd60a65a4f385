import { describe, expect, test } from 'vitest'
import { AppError } from '@/lib/errors'
import { auditedRights, checkedRights, GivenDeploymentRoles, type GivenRights } from './given-rights'

describe('the rights that an administrator gives', () => {
  test.each<[GivenRights, object]>([
    [{ role: 'viewer' }, {}],
    [{ role: 'viewer', deployments: {} }, {}],
    [{ role: null, deployments: { a: 'viewer' } }, { a: 'viewer' }],
    [{ role: 'viewer', deployments: { a: 'viewer', b: 'admin' } }, { b: 'admin' }],
    [{ role: 'admin', deployments: { a: 'admin', b: 'developer' } }, {}],
  ])('%j are stored with the roles %j, which the role does not include', (given, deployments) => {
    expect(checkedRights('staging', given)).toEqual({ role: given.role, deployments })
  })

  test('may be for up to 50 deployments, of those that the role does not include', () => {
    const many = (count: number, role: 'viewer' | 'developer' = 'viewer') =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}`, role]))
    expect(Object.keys(checkedRights('staging', { role: null, deployments: many(50) }).deployments)).toHaveLength(50)
    expect(checkedRights('staging', { role: 'viewer', deployments: many(60) }).deployments).toEqual({})
    const refused = [
      { workspace: 'staging', given: { role: null, deployments: many(51) }, says: /^Choose at most 50/ },
      { workspace: 'staging', given: { role: null, deployments: {} }, says: /^Choose at least one/ },
      { workspace: 'staging', given: { role: null }, says: /^Choose at least one/ },
      { workspace: '*', given: { role: 'viewer', deployments: many(1, 'developer') }, says: /one role everywhere/ },
      { workspace: '*', given: { role: null }, says: /^Choose at least one/ },
    ] as const
    for (const { workspace, given, says } of refused) {
      let error: unknown
      try {
        checkedRights(workspace, given)
      } catch (thrown) {
        error = thrown
      }
      expect(error).toBeInstanceOf(AppError)
      expect(error).toMatchObject({
        code: 'invalid',
        message: expect.stringMatching(says),
        view: { fields: [{ path: ['deployments'], message: expect.stringMatching(says) }] },
      })
    }
    expect(checkedRights('*', { role: 'admin', deployments: { a: 'viewer' } })).toEqual({
      ...{ role: 'admin', deployments: {} },
    })
  })

  test('name deployments by their ids', () => {
    const isValid = (given: object) => GivenDeploymentRoles.safeParse(given).success
    expect(isValid({ 'a-b_1': 'viewer', [`${'x'.repeat(100)}`]: 'admin' })).toBe(true)
    for (const wrong of [{ 'a b': 'viewer' }, { 'a=b': 'viewer' }, { ['x'.repeat(101)]: 'viewer' }, { a: 'owner' }])
      expect(isValid(wrong)).toBe(false)
  })

  test('are recorded in the audit trail without what is not given', () => {
    expect(auditedRights({ role: null, deployments: {} })).toEqual({})
    expect(auditedRights({ role: 'viewer', deployments: {} })).toEqual({ role: 'viewer' })
    expect(auditedRights({ role: null, deployments: { a: 'viewer', b: 'admin' } })).toEqual({
      deployments: 'a=viewer,b=admin',
    })
  })
})
