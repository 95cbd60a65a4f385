import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { controlPlaneSchemas } from '../control-plane.schemas'
import { toValidationError } from '../wire/http-validation-error'
import { Deployment, DeploymentsList, DeploymentWithSecrets, ListDeploymentsQuery } from './deployments'

const record = {
  id: '0190a000-0000-7000-8000-000000000001',
  name: 'chat-agent',
  source: 'github',
  source_config: {},
  source_revision_config: {},
  secrets: [],
  created_at: '2026-01-01T00:00:00+00:00',
  updated_at: '2026-01-01T00:00:00+00:00',
  status: 'READY',
}

describe('a record', () => {
  test('an unknown status, source or type is kept as it came', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (status, source, deployment_type) => {
        const parsed = Deployment.parse({ ...record, status, source, source_config: { deployment_type } })
        expect([parsed.status, parsed.source, parsed.source_config.deployment_type]).toEqual([
          status,
          source,
          deployment_type,
        ])
      }),
    )
  })

  test('no response of any operation contains a secret value', () => {
    const canary = 'canary-4f9a1c'
    const deployment = { ...record, secrets: [{ name: 'A', value: canary, extra: canary }], unknown: canary }
    const responses: Record<string, unknown> = { listDeployments: { resources: [deployment], offset: 0 } }
    for (const id of ['createDeployment', 'getDeployment', 'updateDeployment', 'redeployRevision'])
      responses[id] = deployment
    for (const [id, response] of Object.entries(responses)) {
      const parsed = controlPlaneSchemas[id as keyof typeof controlPlaneSchemas].response.parse(response)
      expect(JSON.stringify(parsed)).not.toContain(canary)
      expect(JSON.stringify(parsed)).toContain('"secrets":[{"name":"A"}]')
    }
  })

  test('only the schema made for it keeps values', () => {
    const secrets = [{ name: 'A', value: 'b' }]
    expect(DeploymentWithSecrets.parse({ ...record, secrets }).secrets).toEqual(secrets)
  })

  test('unknown keys are removed, except in the resource spec, which an update sends back whole', () => {
    const parsed = Deployment.parse({
      ...record,
      extra: 1,
      source_config: { extra: 2, resource_spec: { cpu: 1, extra: 3 } },
    })
    expect(parsed).not.toHaveProperty('extra')
    expect(parsed.source_config).toEqual({ resource_spec: { cpu: 1, extra: 3 } })
  })

  test('missing or null secrets are an empty list', () => {
    const { secrets: _, ...without } = record
    expect(Deployment.parse(without).secrets).toEqual([])
    expect(Deployment.parse({ ...record, secrets: null }).secrets).toEqual([])
  })

  test('a failure includes the path', () => {
    const parsed = DeploymentsList.safeParse({
      resources: [record, { ...record, source_config: { build_on_push: 'yes' } }],
      offset: 0,
    })
    expect(parsed.error?.issues[0]?.path).toEqual(['resources', 1, 'source_config', 'build_on_push'])
  })
})

describe('the list query', () => {
  test('has the defaults of the API', () => {
    expect(ListDeploymentsQuery.parse({})).toEqual({ limit: 20, offset: 0 })
  })

  test('accepts text from a URL and typed values alike', () => {
    const text = {
      limit: '5',
      offset: '10',
      remote_reconciled: 'true',
      deployment_ids: 'a, b,',
      tag_value_ids: ['c', 'd'],
    }
    const typed = { limit: 5, offset: 10, remote_reconciled: true, deployment_ids: 'a,b', tag_value_ids: 'c,d' }
    expect(ListDeploymentsQuery.parse(text)).toEqual(typed)
    expect(ListDeploymentsQuery.parse(typed)).toEqual(typed)
  })

  test.each([
    [{ limit: '1e3x' }, 'int_parsing', 'limit'],
    [{ limit: '1e1' }, 'int_parsing', 'limit'],
    [{ limit: '' }, 'int_parsing', 'limit'],
    [{ limit: ' 5' }, 'int_parsing', 'limit'],
    [{ limit: '5.0' }, 'int_parsing', 'limit'],
    [{ limit: ['5', '6'] }, 'int_parsing', 'limit'],
    [{ limit: 1.5 }, 'int_parsing', 'limit'],
    [{ limit: '0' }, 'greater_than_equal', 'limit'],
    [{ limit: 101 }, 'less_than_equal', 'limit'],
    [{ offset: '-1' }, 'greater_than_equal', 'offset'],
    [{ remote_reconciled: 'maybe' }, 'bool_parsing', 'remote_reconciled'],
    [{ deployment_type: 'large' }, 'enum', 'deployment_type'],
    [{ sort: 'name' }, 'extra_forbidden', 'sort'],
  ])('%j is refused as %s', (query, type, field) => {
    const parsed = ListDeploymentsQuery.safeParse(query)
    expect(toValidationError(parsed.error as never, 'query').detail).toMatchObject([{ type, loc: ['query', field] }])
  })

  test('any text that is not an integer is refused', () => {
    fc.assert(
      fc.property(fc.string(), (limit) => {
        fc.pre(!/^[+-]?\d+$/.test(limit))
        expect(ListDeploymentsQuery.safeParse({ limit }).success).toBe(false)
      }),
    )
  })
})
