import { describe, expect, it } from 'vitest'
import { agentServer } from '../agent-server'
import { consoleRecords } from '../console-records'
import { controlPlane } from '../control-plane'
import { traces } from '../traces'
import type { ApiTable } from '../wire/api'
import { AUDIT_ACTIONS, AUDIT_GROUPS, operationsOf } from './actions'
import { type AuditFacts, type AuditOutcome, auditSentence, namedSentence, type Phrase } from './sentence'

const ID = '0190a1b2-0000-4000-8000-000000000001'
const textOf = (phrases: Phrase[]) =>
  phrases
    .map((part) => {
      if (typeof part === 'string') return part
      if ('code' in part) return `\`${part.code}\``
      return 'deployment' in part ? `[${part.deployment}]` : `<${part.account}>`
    })
    .join('')
const told = (facts: Partial<AuditFacts>, outcome: AuditOutcome = 'done') =>
  textOf(auditSentence({ operation: '', params: {}, fields: [], ...facts }, outcome))

describe('sentences of the audit trail', () => {
  it('exist for every operation that writes, and for no other', () => {
    const upstream = [controlPlane, agentServer, traces].flatMap((table) => Object.values(table as ApiTable))
    const writes = [
      ...upstream.filter(({ effect }) => effect === 'write').map(({ api, id }) => `${api}.${id}`),
      ...Object.values(consoleRecords).flatMap(({ effect, id }) => (effect === 'write' ? [id] : [])),
    ]
    expect(Object.keys(AUDIT_ACTIONS).sort()).toEqual(writes.sort())
  })

  it('name only parameters that the operation has', () => {
    const tables = [controlPlane, agentServer, traces].flatMap((table) => Object.values(table as ApiTable))
    for (const { api, id, path } of tables) {
      const [, , , object = ''] = AUDIT_ACTIONS[`${api}.${id}`] ?? []
      const named = [...object.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const has = [...path.matchAll(/\{(\w+?)(?:_id)?\}/g)].map(([, name]) => name)
      for (const name of named) expect([...has, ...(api === 'agent-server' ? ['deployment'] : [])]).toContain(name)
    }
  })

  it('name secrets and what happened to them', () => {
    const operation = 'control-plane.updateDeployment'
    const params = { deployment_id: ID }
    expect(told({ operation, params, fields: ['secrets', 'secrets.remove.DATABASE_URL'] })).toBe(
      `removed secret \`DATABASE_URL\` of [${ID}]`,
    )
    const fields = ['secrets.set.A', 'secrets.set.B.C', 'secrets.renamed-from.D', 'secrets.renamed-to.E']
    expect(told({ operation, params, fields })).toBe(`set secrets \`A\`, \`B.C\`, renamed secret \`D → E\` of [${ID}]`)
    expect(told({ operation, params, fields: ['secrets.set.A'] }, 'failed')).toBe(
      `tried to set secret \`A\` of [${ID}]`,
    )
    expect(told({ operation, params, fields: ['secrets'] })).toBe(`changed [${ID}]`)
  })

  it('say what was tried if it was denied, failed or has no outcome', () => {
    const facts = { operation: 'agent-server.cancelRun', params: { deployment: 'd', run_id: ID, thread_id: 't' } }
    expect(told(facts)).toBe('cancelled run `0190a1b2` in [d]')
    for (const outcome of ['denied', 'failed', 'unknown'] as const)
      expect(told(facts, outcome)).toBe('tried to cancel run `0190a1b2` in [d]')
  })

  it('name secrets of deployments only', () => {
    expect(told({ operation: 'setRole', params: { account: ID }, fields: ['secrets.set.A'] })).toBe(
      `changed the role of <${ID}>`,
    )
  })

  it('are plain text with the names that are known', () => {
    const phrases: Phrase[] = ['moved ', { code: 'A' }, ' of ', { deployment: 'd' }, ' to ', { account: 'a' }]
    expect(namedSentence(phrases, { deployments: { d: 'chat' }, accounts: { a: 'ann@example.com' } })).toBe(
      'moved A of chat to ann@example.com',
    )
    expect(namedSentence(phrases, { deployments: {}, accounts: {} })).toBe('moved A of d to a')
  })

  it('name what was created, where the entry has its name', () => {
    expect(told({ operation: 'control-plane.createDeployment', params: { name: 'chat' } })).toBe(
      'created deployment `chat`',
    )
    expect(told({ operation: 'control-plane.createListener', params: { name: 'east' } })).toBe(
      'created listener `east`',
    )
    const params = { listener_id: ID, name: 'east' }
    expect(told({ operation: 'control-plane.renewListenerToken', params })).toBe('renewed the token of listener `east`')
    expect(told({ operation: 'control-plane.deleteListener', params: { listener_id: ID } }, 'denied')).toBe(
      'tried to delete listener `0190a1b2`',
    )
    expect(told({ operation: 'control-plane.createDeployment' }, 'failed')).toBe('tried to create a deployment')
    expect(told({ operation: 'saveAlertRule', params: { rule: ID, name: 'Down' } })).toBe('saved alert rule `Down`')
  })

  it('belong to one group each', () => {
    const grouped = Object.keys(AUDIT_GROUPS).flatMap((group) => operationsOf(group as never))
    expect(grouped.sort()).toEqual(Object.keys(AUDIT_ACTIONS).sort())
  })

  it('survive unknown operations and missing parameters', () => {
    expect(told({ operation: 'readAudit' }, 'denied')).toBe('tried to use `readAudit`')
    expect(told({ operation: 'setRole' })).toBe('changed the role of an unknown account')
    expect(told({ operation: 'setRole', params: { account: ID } })).toBe(`changed the role of <${ID}>`)
    const deployments = 'a=developer,b=developer,c=viewer'
    expect(told({ operation: 'setRole', params: { account: ID, deployments } })).toBe(
      `changed the role of <${ID}> to developer of [a] and [b]; viewer of [c]`,
    )
    const rights = { role: 'viewer', deployments: 'a=admin' }
    expect(told({ operation: 'inviteMember', params: { account: ID, ...rights } })).toBe(
      `added <${ID}> as viewer; admin of [a]`,
    )
    // Entries of older releases do not say who.
    expect(told({ operation: 'inviteMember', params: rights })).toBe('added an unknown account as viewer; admin of [a]')
    expect(told({ operation: 'createInvitation', params: { role: 'admin' } })).toBe(
      'created an invitation link as admin',
    )
  })
})
