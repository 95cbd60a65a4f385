import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { deploymentRecord, rowsOf, SAMPLE_ID, sampleInput } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { db } from '../process/db'
import { type TestConsole, type TestPeople, testConsole, testPeople } from '../testing'
import { callAny, openAnyStream } from './call'
import { schemasOf } from './schemas'
import { resetUpstream } from './testing'

const KEY = 'canary-api-key-5f2a'
let home: TestConsole
let upstream: StubUpstream
let people: TestPeople
beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: KEY })
  people = await testPeople()
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  home.set({})
  resetUpstream(upstream)
})

type AuditRow = {
  kind: string
  operation: string
  outcome: string | null
  fields: string[]
  params: Record<string, string>
  request_id: string
  upstream_status: number | null
}
const auditRows = async (of: Actor): Promise<AuditRow[]> =>
  (await (await db()).execute<AuditRow>(sql`select * from console.audit where actor = ${of.id} order by seq`)).rows
const input = (op: Operation) => sampleInput(op, schemasOf(op).body !== undefined)
const perform = (op: Operation, actor: Actor) =>
  (op.response === 'stream' ? openAnyStream : callAny)(op, input(op), { actor })
const rows = rowsOf(controlPlane, agentServer, traces)
const isDeployment = (path: string) => path === `/v2/deployments/${SAMPLE_ID}`

describe('every operation', () => {
  test.each(rows.filter(([, op]) => op.role !== 'viewer'))(
    '%s refuses a viewer before any request is sent, and audits the denial',
    async (name, op) => {
      const before = (await auditRows(people.viewer)).length
      expect(await failure(perform(op, people.viewer))).toMatchObject({
        code: 'forbidden',
        view: { requestId: expect.stringMatching(/./) },
      })
      expect(upstream.seen).toEqual([])
      const [entry, ...more] = (await auditRows(people.viewer)).slice(before)
      expect(entry).toMatchObject({ kind: 'denial', operation: name })
      expect(more).toEqual([])
    },
  )

  test.each(rows.filter(([, op]) => op.role === 'admin'))(
    '%s refuses a developer before any request is sent',
    async (_name, op) => {
      expect(await failure(perform(op, people.developer))).toMatchObject({ code: 'forbidden' })
      expect(upstream.seen).toEqual([])
    },
  )

  test.each(rows)('%s does not exist for someone without a role here', async (_name, op) => {
    expect(await failure(perform(op, people.stranger))).toMatchObject({ code: 'not_found' })
    expect(upstream.seen).toEqual([])
  })

  test.each(rows.filter(([, op]) => op.effect === 'write' && op.api !== 'traces'))(
    '%s is audited: the intent before it is sent, the outcome afterwards',
    async (name, op) => {
      let atArrival: AuditRow[] | undefined
      const inner = ({ path }: { path: string }) => ({
        body: isDeployment(path) ? deploymentRecord(`${upstream.url}/agents/demo`) : {},
      })
      upstream.respondWith(async (seen) => {
        if (seen.method !== 'GET')
          atArrival = (await auditRows(people.admin)).filter((row) => row.request_id === seen.headers['x-request-id'])
        return inner(seen)
      })
      // The stub's answer fits few response schemas; this test checks only what was sent.
      await perform(op, people.admin).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'upstream_shape') throw error
      })
      expect(upstream.seen.filter(({ method }) => method === op.method)).toHaveLength(1)
      expect(atArrival).toMatchObject([{ kind: 'intent', operation: name }])
      const after = (await auditRows(people.admin)).filter((row) => row.request_id === atArrival?.[0]?.request_id)
      expect(after.map(({ kind }) => kind)).toEqual(['intent', 'outcome'])
      expect(after[1]).toMatchObject({ upstream_status: 200 })
      const { body } = input(op)
      expect(atArrival?.[0]?.fields).toEqual(body && !Array.isArray(body) ? Object.keys(body) : [])
    },
  )

  test.each(rows.filter(([, op]) => op.effect === 'write' && op.api !== 'traces'))(
    '%s is not sent when its intent cannot be recorded',
    async (_name, op) => {
      const store = await db()
      await store.execute(sql`alter table console.audit rename to audit_away`)
      try {
        expect(await failure(perform(op, people.admin))).toMatchObject({
          code: 'internal',
          message: expect.stringContaining('nothing was changed'),
        })
        expect(upstream.seen).toEqual([])
      } finally {
        await store.execute(sql`alter table console.audit_away rename to audit`)
      }
    },
  )

  // These responses are user data or text as a whole, so echoed credentials of the user cannot be told apart.
  const FREE_FORM: Operation[] = [
    agentServer.joinRun,
    agentServer.getAgentCard,
    agentServer.getAssistantCard,
    agentServer.getMetrics,
    agentServer.getDocs,
    agentServer.getOpenapi,
  ]
  test.each(rows.filter(([, op]) => op.effect === 'read' && op.response !== 'stream'))(
    '%s leaks neither our key nor the secrets and echoed credentials of a record',
    async (_name, op) => {
      const poisoned = {
        ...deploymentRecord(`${upstream.url}/agents/demo`),
        ...{
          api_key: KEY,
          thread_id: 't',
          run_id: 'r',
          assistant_id: 'a',
          graph_id: 'g',
          cron_id: 'c',
          schedule: '* * * * *',
          compute_type: 'k8s',
          key: KEY,
        },
        config: {
          configurable: {
            'x-api-key': KEY,
            authorization: `Bearer ${KEY}`,
            langgraph_auth_user: { token: 'canary-token' },
          },
        },
        metadata: { cookie: 'canary-cookie', 'x-api-key': KEY },
        values: { said: KEY },
        value: KEY,
        namespace: [KEY],
      }
      const forbidden = FREE_FORM.includes(op) ? new RegExp(KEY) : /canary/
      for (const body of [
        poisoned,
        [poisoned],
        { resources: [poisoned], offset: 1 },
        { items: [poisoned] },
        { runs: [poisoned] },
        `# ${KEY}`,
      ]) {
        const isLookUp = (path: string) => isDeployment(path) && op !== controlPlane.getDeployment
        upstream.respondWith(({ path }) => ({
          body: isLookUp(path) ? deploymentRecord(`${upstream.url}/agents/demo`) : body,
        }))
        const shown = await callAny(op, input(op), { actor: people.admin }).then(
          JSON.stringify,
          (error: AppError) => `${error}${JSON.stringify(error.view)}`,
        )
        expect(shown ?? '').not.toMatch(forbidden)
      }
    },
  )
})
