import { afterAll, beforeAll, expect, vi } from 'vitest'
import { z } from 'zod'
import { controlPlane } from '@/lib/contracts/control-plane'
import { controlPlaneSchemas } from '@/lib/contracts/control-plane.schemas'
import { buildPath, type RowSchemas } from '@/lib/contracts/wire/api'
import { ValidationError } from '@/lib/contracts/wire/http-validation-error'
import type { OperationId } from '../../kernel/wire'
import { createFixture, type Fixture, waitFor } from '../../testing/platform-fixture'
import { INTEGRATION_ID, LISTENER_ID } from '../platform'

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
export const OPERATIONS = Object.keys(controlPlane) as OperationId[]

type Input = { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown }
type Headers = Record<string, string>

const Refusal = z.strictObject({ detail: z.string().min(1) })
const Invalid = z.strictObject({ detail: z.array(z.strictObject(ValidationError.shape)).min(1) })

/**
 * A platform for one test file, with a client that checks every response: a success against the operation's contract, a
 * failure against the form for its status.
 */
export function conformance() {
  // Generous, because real processes are slow on a busy machine.
  vi.setConfig({ testTimeout: 60_000 })
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await createFixture({ consoleUrl: 'https://console.example' })
  })
  afterAll(() => fixture.close())

  const call = async (id: OperationId, { params, query, body }: Input = {}, headers?: Headers) => {
    const row = controlPlane[id]
    const response = await fixture.client.request(row.method, buildPath(row, params, query), body, headers)
    const schema: z.ZodType =
      response.status === 422
        ? Invalid
        : response.status >= 400
          ? Refusal
          : row.response === 'none'
            ? z.undefined()
            : (controlPlaneSchemas[id] as RowSchemas).response
    const parsed = schema.safeParse(response.body)
    if (!parsed.success) expect.fail(`${id} responded with ${response.status} with ${JSON.stringify(response.body)}`)
    return response
  }
  return {
    call,
    get fixture() {
      return fixture
    },
    /** A deployment whose build fails immediately, for rules that need no agent server. */
    async park(name: string, fields: Record<string, unknown> = {}): Promise<string> {
      const created = await call('createDeployment', { body: gitBody(name, fields) })
      expect(created).toMatchObject({ status: 201 })
      return created.body.id
    },
    async parkImage(name: string, config: Record<string, unknown> = {}): Promise<string> {
      const created = await call('createDeployment', { body: imageBody(name, config) })
      expect(created).toMatchObject({ status: 201 })
      return created.body.id
    },
    /** Waits until a deployment is deleted. */
    gone: (id: string) =>
      waitFor('deleted', async () => {
        const { status } = await call('getDeployment', { params: { deployment_id: id } })
        return status === 404
      }),
  }
}

/** The location and kind of each rejected field. */
export const refusedFields = (response: { status: number; body: { detail?: unknown } }): string[] => {
  const { status, body } = response
  if (status !== 422) return [`${status} ${JSON.stringify(body)}`]
  return (body.detail as ValidationError[]).map(({ loc, type }) => `${loc.join('.')}: ${type}`)
}

export const GIT = {
  integration_id: INTEGRATION_ID,
  repo_url: '/nowhere/at/all',
  deployment_type: 'dev',
  build_on_push: false,
}
export const IMAGE = { listener_id: LISTENER_ID }

export const gitBody = (name: string, fields: Record<string, unknown> = {}) => ({
  name,
  source: 'github',
  source_config: GIT,
  source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
  secrets: [],
  ...fields,
})

export const imageBody = (
  name: string,
  config: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
) => ({
  name,
  source: 'external_docker',
  source_config: { ...IMAGE, ...config },
  source_revision_config: { image_uri: 'nothing/there:1' },
  secrets: [],
  ...fields,
})
