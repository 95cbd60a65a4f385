import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { Operation } from '@/lib/contracts/wire/api'
import { db } from '../process/db'
import { type TestConsole, testActor, testConsole } from '../testing'
import { authorize, entryOf } from './call-context'

// What someone is told who may not do something, and what the audit trail stores about it.

let home: TestConsole
beforeAll(async () => {
  home = await testConsole({ CONTROL_PLANE_URL: 'http://127.0.0.1:9' })
})
afterAll(() => home.close())

const NOWHERE = 'This workspace does not exist, or you are not a member of it.'
const OUTSIDE = 'This does not exist, or it is outside the deployments that you have access to.'
const needs = (what: string, where: string, is: string) => `This needs ${what} of the ${where}; you are ${is}.`
const OWN = { deploymentId: 'own' }
const OTHER = { deploymentId: 'other' }
const { createThread, getInfo } = agentServer
const { createDeployment } = controlPlane

type Roles = Parameters<typeof testActor>[0]
type Place = { deploymentId?: string }
test.each<[string, Roles, Operation, Place, string, string]>([
  ['a stranger', {}, getInfo, OWN, NOWHERE, 'needs viewer'],
  ['a stranger', {}, createDeployment, {}, NOWHERE, 'needs admin'],
  ['a viewer', { default: 'viewer' }, createDeployment, {}, needs('an admin', 'workspace', 'a viewer'), 'needs admin'],
  [
    'a viewer',
    { default: 'viewer' },
    createThread,
    OWN,
    needs('a developer', 'deployment', 'a viewer'),
    'needs developer',
  ],
  [
    'a developer',
    { default: 'developer' },
    createDeployment,
    {},
    needs('an admin', 'workspace', 'a developer'),
    'needs admin',
  ],
  [
    'a viewer of one',
    { default: { own: 'viewer' } },
    createThread,
    OWN,
    needs('a developer', 'deployment', 'a viewer'),
    'needs developer',
  ],
  [
    'a viewer of one',
    { default: { own: 'viewer' } },
    traces.createFeedback,
    {},
    needs('a developer', 'deployment', 'a viewer'),
    'needs developer',
  ],
  ['an admin of one', { default: { own: 'admin' } }, getInfo, OTHER, OUTSIDE, 'outside the allowed deployments'],
  ['an admin of one', { default: { own: 'admin' } }, createDeployment, {}, OUTSIDE, 'outside the allowed deployments'],
  [
    'a viewer and admin of one',
    { default: { role: 'viewer', deployments: { own: 'admin' } } },
    createThread,
    OTHER,
    needs('a developer', 'deployment', 'a viewer'),
    'needs developer',
  ],
])('%s is told what is missing (%#)', async (_, roles, op, place, message, outcome) => {
  const actor = await testActor(roles)
  const error = await failure(authorize(op, { workspace: 'default', ...place }, actor))
  expect(error).toMatchObject({ message, code: message.startsWith('This needs') ? 'forbidden' : 'not_found' })
  const { rows } = await (await db()).execute(
    sql`select kind, operation, outcome, request_id from console.audit where actor = ${actor.id}`,
  )
  expect(rows).toEqual([{ kind: 'denial', operation: `${op.api}.${op.id}`, outcome, request_id: error.view.requestId }])
})

test('the audit trail stores the target and the names of fields, and the name of what is created', () => {
  const { updateDeployment } = controlPlane
  expect(entryOf(createDeployment, { workspace: 'w', body: { name: 'demo', secrets: [] } })).toEqual({
    ...{ workspace: 'w', operation: 'control-plane.createDeployment', params: { name: 'demo' } },
    fields: ['name', 'secrets'],
  })
  const params = { deployment_id: 'd' }
  expect(entryOf(updateDeployment, { workspace: 'w', params, body: { name: 'demo' } })).toMatchObject({ params })
  expect(entryOf(createThread, { workspace: 'w', deploymentId: 'd', body: {} })).toEqual({
    ...{ workspace: 'w', operation: 'agent-server.createThread', params: { deployment: 'd' }, fields: [] },
  })
  const nameOf = (body: unknown) => entryOf(createDeployment, { workspace: 'w', body }).params
  expect(nameOf({ name: 'x'.repeat(201) })).toEqual({ name: 'x'.repeat(200) })
  for (const body of [{ name: 7 }, {}, ['name'], undefined]) expect(nameOf(body)).toEqual({})
  expect(entryOf(agentServer.createRunBatch, { workspace: 'w', body: [{ a: 1 }] }).fields).toEqual([])
})
