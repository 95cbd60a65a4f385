import { createHash, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { consoleRecords, type RecordOperation } from '@/lib/contracts/console-records'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { insertWorkspace } from '../access/workspace-settings'
import { readAuditRetention, unexportedLines } from '../audit/retention'
import { recordIntent, withAudit } from '../audit/trail'
import { forgetNotedSessions, noteSession } from '../identity/sessions'
import { db } from '../process/db'
import {
  alertChannels,
  alertRules,
  alertSilences,
  apiTokens,
  experimentPairs,
  experiments,
  favourites as favouriteRows,
  inputSets,
  invitations as invitationRows,
  modelPrices,
  runTemplates,
  savedViews,
} from '../process/schema'
import { publicLinks, recordings, segments, sharing } from '../recorder/schema'
import { recorderHub } from '../recorder/shared-hub'
import { type TestConsole, testActor, testConsole } from '../testing'
import * as alerts from './alerts'
import * as tokens from './api-tokens'
import * as audit from './audit'
import * as auditRetention from './audit-retention'
import * as changes from './changes'
import * as runs from './experiments'
import * as favourites from './favourites'
import * as invitations from './invitations'
import * as members from './members'
import * as prices from './prices'
import * as links from './public-links'
import * as activity from './recorded-activity'
import * as recorded from './recorded-runs'
import * as recording from './recordings'
import * as retention from './retention'
import * as templates from './run-templates'
import * as views from './saved-views'
import * as sessions from './sessions'

// Calls every function of this folder as a stranger, a member of another workspace and every role.
// The first tests fail if a new export or a new operation has no case.

const WORKSPACE = 'default'
const OTHER = 'other'
/** Contained in every record of the workspace. */
const MARKER = 'marker-4711'
const REFUSED = ['forbidden', 'not_found']

type Operation = keyof typeof consoleRecords
type Case = {
  /** Decides who may call the function; contracts/permissions.test.ts lists the role of each. */
  operation: Operation | 'traces.queryTraceRuns'
  /** Requests the records of WORKSPACE, or the same ids in another workspace. */
  run: (actor: Actor, workspace: string) => Promise<unknown>
  /** The records are those of the user. */
  isPersonal?: boolean
  /** Needs a role in the whole workspace, although its operation does not always. */
  isOfWorkspace?: boolean
}
const needs = (operation: Case['operation'], run: Case['run']): Case => ({ operation, run })
const own = (operation: Operation, run: Case['run']): Case => ({ operation, run, isPersonal: true })
const whole = (one: Case): Case => ({ ...one, isOfWorkspace: true })
/** Called as every role by lib/actions/console-actions.test.ts unless another test is named. */
const ELSEWHERE: Operation[] = [
  'acceptInvitation', // audit/invitations.test.ts
  'addPasskey', // audit/passkeys.test.ts
  'removePasskey',
  'requirePasskey',
  'signInByLink', // audit/sign-in-by-link.test.ts
  'pruneAudit', // audit/prune.test.ts
  'moveRecordings', // recorder/packed/move.test.ts
  'revokeOwnToken', // lib/server/http-api/http-api.test.ts
  'changePassword',
  'createWorkspace',
  'updateWorkspace',
  'deleteWorkspace',
  'testControlPlane',
  'testAgentServer',
  'addDirectServer',
  'removeDirectServer',
]
/** Readers without an account; public-links.test.ts. */
const FOR_ANYONE = ['public-links.openPublicLink']
/** Prices follow the right to read traces. */
const rowOf = ({ operation }: Case): Pick<RecordOperation, 'role' | 'scope' | 'effect' | 'reach'> =>
  operation === 'traces.queryTraceRuns'
    ? { role: 'viewer', scope: 'workspace', effect: 'read', reach: 'own' } // prices are not about deployments
    : consoleRecords[operation]

async function collected<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const part of parts) all.push(part)
  return all
}

const ids = {
  recording: randomUUID(),
  view: randomUUID(),
  template: randomUUID(),
  price: randomUUID(),
  token: randomUUID(),
  rule: randomUUID(),
  channel: randomUUID(),
  silence: randomUUID(),
  experiment: randomUUID(),
  inputs: randomUUID(),
  invitation: randomUUID(),
  link: randomUUID(),
}
const deploymentId = 'd'
const page = 'deployments'
const price = {
  ...{ provider: null, input: 1, output: 2, cachedInput: null, reasoning: null },
  ...{ cacheWrite: null, cacheWrite1h: null, validFrom: null },
}
let account = ''

const token = { name: 'new', deployments: null, days: 7 } as const

const rule = { name: 'new', kind: 'unhealthy' as const, settings: {}, deployments: null, channels: [], isEnabled: true }
const silence = { rule: null, deployment: null, reason: '', hours: 1 }
const subject = { deployment: 'd', deploymentName: 'd', assistant: 'a', name: 'a', version: null, revision: null }
const experiment = { name: 'new', subjects: [subject], inputs: ['{}'], checks: [] }
const at = (actor: Actor, workspace: string) => ({ actor, workspace, requestId: 'request' })

const CASES: Record<string, Case> = {
  'alerts.readAlerts': needs('readAlerts', alerts.readAlerts),
  'alerts.saveAlertRule': needs('saveAlertRule', (actor, workspace) =>
    alerts.saveAlertRule(at(actor, workspace), { ...rule, id: ids.rule, name: randomUUID() }),
  ),
  'alerts.deleteAlertRule': needs('deleteAlertRule', (actor, workspace) =>
    alerts.deleteAlertRule(at(actor, workspace), ids.rule),
  ),
  'alerts.saveAlertChannel': needs('saveAlertChannel', (actor, workspace) =>
    alerts.saveAlertChannel(at(actor, workspace), { id: ids.channel, name: 'n', kind: 'email', recipients: ['a@b.c'] }),
  ),
  'alerts.deleteAlertChannel': needs('deleteAlertChannel', (actor, workspace) =>
    alerts.deleteAlertChannel(at(actor, workspace), ids.channel),
  ),
  'alerts.testAlertChannel': needs('testAlertChannel', (actor, workspace) =>
    alerts.testAlertChannel(at(actor, workspace), ids.channel, async () => {}),
  ),
  'alerts.silenceAlerts': needs('silenceAlerts', (actor, workspace) =>
    alerts.silenceAlerts(at(actor, workspace), { ...silence, rule: ids.rule }),
  ),
  'alerts.endAlertSilence': needs('endAlertSilence', (actor, workspace) =>
    alerts.endAlertSilence(at(actor, workspace), ids.silence),
  ),
  // Administrators also see those of others.
  'api-tokens.listTokens': own('readTokens', async (actor, workspace) =>
    (await tokens.listTokens(actor, workspace)).filter(({ isOwn }) => isOwn),
  ),
  'api-tokens.createToken': needs('createServiceToken', (actor, workspace) =>
    tokens.createToken(actor, { ...token, workspace, kind: 'service', role: 'admin' }, 'request'),
  ),
  'api-tokens.createToken (own)': whole(
    own('createOwnToken', (actor, workspace) =>
      tokens.createToken(actor, { ...token, workspace, kind: 'personal', role: 'viewer' }, 'request'),
    ),
  ),
  'api-tokens.revokeToken': needs('revokeToken', (actor, workspace) =>
    tokens.revokeToken(actor, { workspace, id: ids.token }, 'request'),
  ),
  'audit.listAudit': needs('readAudit', (actor, workspace) => audit.listAudit(actor, { workspace })),
  'audit.lastAuditReport': whole(
    needs('readAudit', async (actor, workspace) => ({ report: await audit.lastAuditReport(actor, workspace) })),
  ),
  'audit.verifyAudit': whole(needs('readAudit', audit.verifyAudit)),
  'changes.changesBefore': needs('readChanges', async (actor, workspace) => [
    ...(await changes.changesBefore(
      actor,
      workspace,
      new Map([[deploymentId, new Date(Date.now() + 60_000).toISOString()]]),
    )),
  ]),
  'changes.lastChanges': needs('readChanges', async (actor, workspace) => [
    ...(await changes.lastChanges(actor, workspace, [deploymentId])),
  ]),
  'changes.listRecentChanges': needs('readChanges', (actor, workspace) =>
    changes.listRecentChanges(actor, workspace, 5),
  ),
  'changes.listAssistantChanges': needs('readChanges', (actor, workspace) =>
    changes.listAssistantChanges(actor, { workspace, deploymentId, assistant: 'a' }),
  ),
  'changes.listRevisionChanges': needs('readChanges', (actor, workspace) =>
    changes.listRevisionChanges(actor, { workspace, deploymentId }),
  ),
  'changes.secretHistory': needs('readChanges', async (actor, workspace) => [
    ...(await changes.secretHistory(actor, { workspace, deploymentId })),
  ]),
  'experiments.listExperiments': needs('readExperiments', runs.listExperiments),
  'experiments.findExperiment': needs('readExperiments', (actor, workspace) =>
    runs.findExperiment(actor, { workspace, id: ids.experiment }),
  ),
  'experiments.createExperiment': needs('startExperiment', (actor, workspace) =>
    runs.createExperiment(actor, { ...experiment, workspace, id: randomUUID() }, 'request'),
  ),
  'experiments.takeExperiment': needs('continueExperiment', (actor, workspace) =>
    runs.takeExperiment(actor, { workspace, id: ids.experiment }, 'request'),
  ),
  'experiments.stopExperiment': needs('stopExperiment', (actor, workspace) =>
    runs.stopExperiment(actor, { workspace, id: ids.experiment }, 'request'),
  ),
  'experiments.ratePair': needs('ratePair', (actor, workspace) =>
    runs.ratePair(actor, { workspace, id: ids.experiment }, { subject: 0, input: 0, thumb: 1, note: '' }, 'request'),
  ),
  'experiments.deleteExperiment': needs('deleteExperiment', (actor, workspace) =>
    runs.deleteExperiment(actor, { workspace, id: ids.experiment }, 'request'),
  ),
  'experiments.listInputSets': needs('readExperiments', runs.listInputSets),
  'experiments.saveInputSet': needs('saveInputSet', (actor, workspace) =>
    runs.saveInputSet(actor, { workspace, name: randomUUID(), inputs: ['{}'] }, 'request'),
  ),
  'experiments.deleteInputSet': needs('deleteInputSet', (actor, workspace) =>
    runs.deleteInputSet(actor, { workspace, id: ids.inputs }, 'request'),
  ),
  'invitations.listInvitations': needs('readInvitations', invitations.listInvitations),
  'invitations.createInvitation': needs('createInvitation', (actor, workspace) =>
    invitations.createInvitation(
      actor,
      { workspace, email: `${randomUUID()}@example.com`, role: 'admin', days: 7 },
      'request',
    ),
  ),
  'invitations.revokeInvitation': needs('revokeInvitation', (actor, workspace) =>
    invitations.revokeInvitation(actor, { workspace, id: ids.invitation }, 'request'),
  ),
  'members.listMembers': needs('readMembers', members.listMembers),
  'members.inviteMember': needs('inviteMember', (actor, workspace) =>
    members.inviteMember(actor, { workspace, email: `${randomUUID()}@example.com`, role: 'admin' }, 'request'),
  ),
  'members.setRole': needs('setRole', (actor, workspace) =>
    members.setRole(actor, { workspace, account, role: 'developer' }, 'request'),
  ),
  'members.disableMember': needs('disableMember', (actor) =>
    members.disableMember(actor, { account, isDisabled: true }, 'request'),
  ),
  'members.disableMember (enable)': needs('enableMember', (actor) =>
    members.disableMember(actor, { account, isDisabled: false }, 'request'),
  ),
  'members.resetMemberPassword': needs('resetMemberPassword', (actor) =>
    members.resetMemberPassword(actor, account, 'request'),
  ),
  'members.signOutEverywhere': needs('signOutEverywhere', (actor) =>
    members.signOutEverywhere(actor, account, 'request'),
  ),
  'prices.listPrices': needs('traces.queryTraceRuns', prices.listPrices),
  'prices.savePrice': needs('savePrice', (actor, workspace) =>
    prices.savePrice(actor, { workspace, id: ids.price, price: { ...price, model: 'changed' } }, 'request'),
  ),
  'prices.importPrices': needs('importPrices', (actor, workspace) =>
    prices.importPrices(actor, { workspace, prices: [{ ...price, input: 9, model: 'imported' }] }, 'request'),
  ),
  'public-links.listPublicLinks': needs('readPublicLinks', links.listPublicLinks),
  'public-links.allowPublicLinks': needs('allowPublicLinks', (actor, workspace) =>
    links.allowPublicLinks(actor, { workspace, isAllowed: true }, 'request'),
  ),
  'public-links.createPublicLink': needs('createPublicLink', (actor, workspace) =>
    links.createPublicLink(actor, { workspace, recording: ids.recording, days: 7 }, 'request'),
  ),
  'public-links.revokePublicLink': needs('revokePublicLink', (actor, workspace) =>
    links.revokePublicLink(actor, { workspace, id: ids.link }, 'request'),
  ),
  'audit-retention.readAuditKept': needs('readRetention', auditRetention.readAuditKept),
  'audit-retention.saveAuditRetention': needs('saveAuditRetention', (actor, workspace) =>
    auditRetention.saveAuditRetention(actor, { workspace, days: 365, maxBytes: null }, 'request'),
  ),
  'audit-retention.saveAuditLimits': needs('saveAuditLimits', (actor, workspace) =>
    auditRetention.saveAuditLimits(actor, { workspace, days: 365, maxBytes: null }, 'request'),
  ),
  'audit-retention.auditTrailFile': needs('exportAudit', async (actor) => {
    const lines = await collected(auditRetention.auditTrailFile(actor))
    return lines.length > 0 ? MARKER : null
  }),
  'audit-retention.confirmAuditExport': needs('confirmAuditExport', async (actor, workspace) => {
    const file = (await collected(unexportedLines())).join('')
    const sha256 = createHash('sha256').update(file).digest('hex')
    return await auditRetention.confirmAuditExport(actor, { workspace, sha256 }, 'request')
  }),
  'retention.readRetention': needs('readRetention', retention.readRetention),
  'retention.saveRetention': needs('saveRetention', (actor, workspace) =>
    retention.saveRetention(actor, { workspace, days: 7, maxBytes: null }, 'request'),
  ),
  'prices.deletePrice': needs('deletePrice', (actor, workspace) =>
    prices.deletePrice(actor, { workspace, id: ids.price }, 'request'),
  ),
  'recorded-activity.recordedActivity': needs('readRecordings', async (actor, workspace) => {
    const found = await activity.recordedActivity(actor, workspace, [deploymentId], 0)
    return found.has(deploymentId) ? MARKER : null
  }),
  'recorded-runs.recordedRows': needs('readRecordings', (actor, workspace) =>
    recorded.recordedRows(actor, workspace, {}, { after: undefined, limit: 10 }),
  ),
  'recorded-runs.waitingRuns': needs('readRecordings', async (actor, workspace) => {
    const waiting = await recorded.waitingRuns(actor, workspace, {})
    return waiting.length > 0 ? MARKER : null
  }),
  'recorded-runs.recordedCounts': needs('readRecordings', async (actor, workspace) => {
    const days = { first: 0, step: 86_400 }
    const counts = await recorded.recordedCounts(actor, workspace, { deployment: deploymentId }, days)
    return counts.length > 0 ? MARKER : null
  }),
  'recorded-runs.recordedAmong': needs('readRecordings', async (actor, workspace) => {
    const one = { run: MARKER, recordingKey: ids.recording }
    return (await recorded.recordedAmong(actor, workspace, [one]))(one) ? MARKER : null
  }),
  'recordings.readRecording': needs('readRecordings', (actor, workspace) =>
    recording.readRecording(actor, { workspace, recording: ids.recording }),
  ),
  'recordings.listRecordings': needs('readRecordings', (actor, workspace) =>
    recording.listRecordings(actor, { workspace }),
  ),
  'recordings.openRecording': needs('readRecordings', async (actor, workspace) => {
    const opened = await recording.openRecording(actor, { workspace, recording: ids.recording })
    return (await opened.read(0)).map(({ bytes }) => bytes.toString())
  }),
  'recordings.exportRecording': needs('readRecordings', (actor, workspace) =>
    collected(recording.exportRecording(actor, { workspace, recording: ids.recording })),
  ),
  'recordings.recordingFile': needs('readRecordings', async (actor, workspace) =>
    collected((await recording.recordingFile(actor, { workspace, recording: ids.recording })).parts),
  ),
  'run-templates.listTemplates': own('readTemplates', (actor, workspace) =>
    templates.listTemplates(actor, { workspace, deploymentId }),
  ),
  'run-templates.readTemplate': own('readTemplates', (actor, workspace) =>
    templates.readTemplate(actor, { workspace, id: ids.template }),
  ),
  'run-templates.saveTemplate': own('saveTemplate', (actor, workspace) =>
    templates.saveTemplate(actor, { workspace, deploymentId }, { name: 'new', body: '{}' }, 'request'),
  ),
  'run-templates.updateTemplate': own('updateTemplate', (actor, workspace) =>
    templates.updateTemplate(actor, { workspace, deploymentId, id: ids.template }, { body: MARKER }, 'request'),
  ),
  'run-templates.deleteTemplate': own('deleteTemplate', (actor, workspace) =>
    templates.deleteTemplate(actor, { workspace, deploymentId, id: ids.template }, 'request'),
  ),
  'favourites.listFavourites': own('readFavourites', favourites.listFavourites),
  'favourites.addFavourite': own('addFavourite', (actor, workspace) =>
    favourites.addFavourite(actor, { workspace, deployment: deploymentId }, 'request'),
  ),
  'favourites.removeFavourite': own('removeFavourite', (actor, workspace) =>
    favourites.removeFavourite(actor, { workspace, deployment: MARKER }, 'request'),
  ),
  'sessions.listSessions': needs('readSessions', (actor) => sessions.listSessions(actor, account)),
  'sessions.endSession': needs('endSession', (actor) =>
    sessions.endSession(actor, { account, session: MARKER }, 'request'),
  ),
  'saved-views.listViews': own('readViews', (actor, workspace) => views.listViews(actor, { workspace, page })),
  'saved-views.saveView': own('saveView', (actor, workspace) =>
    views.saveView(actor, { workspace, page }, { name: 'new', query: '' }, 'request'),
  ),
  'saved-views.updateView': own('updateView', (actor, workspace) =>
    views.updateView(actor, { workspace, page, id: ids.view }, { isDefault: true }, 'request'),
  ),
  'saved-views.updateView (share)': own('shareView', (actor, workspace) =>
    views.updateView(actor, { workspace, page, id: ids.view }, { isShared: true }, 'request'),
  ),
  'saved-views.deleteView': own('deleteView', (actor, workspace) =>
    views.deleteView(actor, { workspace, page, id: ids.view }, 'request'),
  ),
}

let home: TestConsole
let people: Record<'owner' | 'stranger' | 'outsider' | 'limited' | 'limitedViewer' | 'neighbour' | Role, Actor>

beforeAll(async () => {
  home = await testConsole({ CONTROL_PLANE_URL: 'http://127.0.0.1:9' })
  await insertWorkspace({ kind: 'direct', slug: OTHER, name: OTHER, dialect: 'auto', allowedOrigins: [] })
})
afterAll(async () => {
  await recorderHub().stop()
  await home.close()
})

beforeEach(async () => {
  const store = await db()
  await store.execute(
    sql`truncate console.accounts, console.api_tokens, console.alert_rules, console.alert_channels, console.alert_silences, console.experiments, console.input_sets, console.invitations, console.model_prices, console.recordings, console.segments, console.audit, console.audit_head cascade`,
  )
  people = {
    owner: await testActor({ '*': 'admin' }),
    stranger: await testActor({}),
    outsider: await testActor({ [OTHER]: 'admin' }),
    viewer: await testActor({ [WORKSPACE]: 'viewer' }),
    developer: await testActor({ [WORKSPACE]: 'developer' }),
    admin: await testActor({ [WORKSPACE]: 'admin' }),
    limited: await testActor({ [WORKSPACE]: { [deploymentId]: 'admin' } }),
    limitedViewer: await testActor({ [WORKSPACE]: { [deploymentId]: 'viewer' } }),
    neighbour: await testActor({ [WORKSPACE]: { another: 'admin' } }),
  }
  const { owner } = people
  account = (await testActor({ [WORKSPACE]: 'developer' })).id
  forgetNotedSessions()
  await noteSession({
    ...{ id: MARKER, account, version: 1, endsAt: Date.now() + 60_000, address: null, browser: MARKER },
  })
  const mine = { account: owner.id, workspace: WORKSPACE }
  await store.insert(favouriteRows).values({ ...mine, deployment: MARKER })
  await store.insert(savedViews).values({ ...mine, id: ids.view, page, name: MARKER, query: MARKER })
  await store
    .insert(runTemplates)
    .values({ ...mine, id: ids.template, deployment: deploymentId, name: MARKER, body: MARKER })
  await store.insert(apiTokens).values({
    ...{ id: ids.token, workspace: WORKSPACE, name: MARKER, account, role: 'viewer', hash: MARKER, createdBy: MARKER },
    expiresAt: new Date(Date.now() + 60_000),
  })
  await store.insert(invitationRows).values({
    ...{ id: ids.invitation, workspace: WORKSPACE, email: MARKER, role: 'viewer', hash: MARKER, createdBy: MARKER },
    expiresAt: new Date(Date.now() + 60_000),
  })
  await store.insert(alertRules).values({ ...rule, id: ids.rule, workspace: WORKSPACE, name: MARKER })
  await store
    .insert(alertChannels)
    .values({ id: ids.channel, workspace: WORKSPACE, name: MARKER, kind: 'email', target: MARKER })
  await store.insert(alertSilences).values({
    ...{ id: ids.silence, workspace: WORKSPACE, rule: ids.rule, reason: MARKER, by: MARKER },
    until: new Date(Date.now() + 60_000),
  })
  await store
    .insert(experiments)
    .values({ ...experiment, id: ids.experiment, workspace: WORKSPACE, name: MARKER, createdBy: MARKER })
  await store
    .insert(experimentPairs)
    .values({ experiment: ids.experiment, subject: 0, input: 0, state: 'waiting', note: MARKER })
  await store
    .insert(inputSets)
    .values({ id: ids.inputs, workspace: WORKSPACE, name: MARKER, inputs: [MARKER], createdBy: MARKER })
  await store.insert(modelPrices).values({ ...price, workspace: WORKSPACE, id: ids.price, model: MARKER })
  await store.insert(recordings).values({
    id: ids.recording,
    workspace: WORKSPACE,
    deployment: deploymentId,
    thread: MARKER,
    run: MARKER,
    assistant: MARKER,
    phase: 'ended',
    outcome: 'waiting',
    startedBy: MARKER,
    endedAt: new Date(),
    entries: 1,
    request: JSON.stringify({ input: MARKER }),
    isStateless: false,
    isResumable: false,
  })
  const body = JSON.stringify({ kind: 'event', seq: 1, at: 1, event: 'values', data: `"${MARKER}"` })
  await store.insert(segments).values({ recording: ids.recording, firstSeq: 1, lastSeq: 1, body })
  await store
    .insert(sharing)
    .values([WORKSPACE, OTHER].map((workspace) => ({ workspace, hasPublicLinks: true })))
    .onConflictDoNothing()
  await store.insert(publicLinks).values({
    ...{ id: ids.link, workspace: WORKSPACE, recording: ids.recording, hash: MARKER, createdBy: MARKER },
    expiresAt: new Date(Date.now() + 60_000),
  })
  const entry = { actor: { ...owner, email: MARKER }, role: 'admin' as const, workspace: WORKSPACE, requestId: MARKER }
  const done = async () => ({ value: null })
  const secret = { params: { deployment_id: deploymentId }, fields: [`secrets.set.${MARKER}`] }
  await withAudit({ ...entry, operation: 'control-plane.updateDeployment', ...secret }, done)
  const version = { params: { deployment: deploymentId, assistant_id: 'a' }, fields: [] }
  await withAudit({ ...entry, operation: 'agent-server.updateAssistant', ...version }, done)
  await recordIntent({ ...entry, operation: 'savePrice', params: {}, fields: [] })
})

/** The rows of every table except those of the audit trail, which grows with denials. */
async function rows(): Promise<string[]> {
  const store = await db()
  const { rows: tables } = await store.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'console' and table_name not in ('audit', 'audit_head', 'audit_retention')`,
  )
  const all = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows: found } = await store.execute(sql`select to_jsonb(t) as row from console.${sql.identifier(name)} t`)
      return found.map((one) => `${name} ${JSON.stringify(one)}`)
    }),
  )
  // One row has the limits of all workspaces.
  const { own, ...ofConsole } = await readAuditRetention()
  const limits = [ofConsole, ...Object.entries(own)].map((one) => `audit_retention ${JSON.stringify(one)}`)
  return [...all.flat(), ...limits].sort()
}

const trail = async () =>
  (
    await (
      await db()
    ).execute<{ entry: string }>(sql`select kind || ' ' || operation as entry from console.audit order by seq`)
  ).rows.map(({ entry }) => entry)

/** The result as text, or the code of the refusal. */
async function attempt(name: string, actor: Actor, workspace: string): Promise<{ code?: string; text: string }> {
  try {
    return { text: JSON.stringify(await CASES[name]?.run(actor, workspace)) ?? '' }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, text: JSON.stringify([error.message, error.view]) }
  }
}

test('every exported function of the folder has a case', async () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const exported: string[] = []
  for (const file of files) {
    const found: Record<string, unknown> = await import(`./${file}`)
    for (const [name, value] of Object.entries(found))
      if (typeof value === 'function') exported.push(`${file.slice(0, -3)}.${name}`)
  }
  const covered = new Set([...Object.keys(CASES).map((name) => name.split(' ')[0]), ...FOR_ANYONE])
  expect(exported.sort()).toEqual([...covered].sort())
})

test('every operation on our own records has a case', () => {
  const covered = new Set([...Object.values(CASES).map(({ operation }) => operation), ...ELSEWHERE])
  covered.delete('traces.queryTraceRuns')
  expect([...covered].sort()).toEqual(Object.keys(consoleRecords).sort())
})

describe('refuses users without the role, leaks nothing and writes nothing', () => {
  test.each(Object.entries(CASES))('%s', async (name, one) => {
    const { role: least, scope, effect } = rowOf(one)
    const [before, start] = [await rows(), (await trail()).length]
    const mayCall = (role: Role) => scope === 'workspace' && isAtLeast(role, least as Role)
    const refused = (['viewer', 'developer', 'admin'] as const).filter((role) => !mayCall(role))
    for (const who of ['stranger', 'outsider'] as const) {
      const { code, text } = await attempt(name, people[who], WORKSPACE)
      expect(REFUSED, who).toContain(code)
      expect(text, who).not.toContain(MARKER)
    }
    for (const role of refused) {
      const { code, text } = await attempt(name, people[role], WORKSPACE)
      expect(code, role).toBe('forbidden')
      expect(text, role).not.toContain(MARKER)
    }
    expect(await rows()).toEqual(before)
    const isAudited = effect === 'write' || one.operation === 'traces.queryTraceRuns'
    const denials = Array.from({ length: isAudited ? 2 + refused.length : 0 }, () => `denial ${one.operation}`)
    expect((await trail()).slice(start)).toEqual(denials)

    for (const role of ['viewer', 'developer', 'admin'] as const) {
      if (!mayCall(role)) continue
      const { code, text } = await attempt(name, people[role], WORKSPACE)
      expect(code, role).not.toBe('forbidden')
      if (effect === 'read' && least === 'viewer') expect(text.includes(MARKER), role).toBe(!one.isPersonal)
      if (one.isPersonal) {
        expect(text, role).not.toContain(MARKER)
        expect(await rows(), role).toEqual(expect.arrayContaining(before))
      }
    }

    // An outsider may write in their own workspace, but must not read or change records of this one.
    const left = await rows()
    const elsewhere = await attempt(name, people.outsider, OTHER)
    expect(elsewhere.text).not.toContain(MARKER)
    expect(await rows()).toEqual(expect.arrayContaining(left))

    expect((await attempt(name, people.owner, WORKSPACE)).code).toBeUndefined()
  })
})

describe('roles for some deployments', () => {
  test.each(Object.entries(CASES))('%s', async (name, one) => {
    const { role: least, scope, effect, reach } = rowOf(one)
    const isOpen = scope === 'workspace' && reach !== 'workspace' && !one.isOfWorkspace
    const before = await rows()
    const refused = isOpen ? [] : (['limited', 'limitedViewer', 'neighbour'] as const)
    const viewers = isOpen && least !== 'viewer' ? (['limitedViewer'] as const) : []
    for (const who of [...refused, ...viewers]) {
      const { code, text } = await attempt(name, people[who], WORKSPACE)
      expect(REFUSED, who).toContain(code)
      expect(text, who).not.toContain(MARKER)
    }
    // Of another deployment, nothing is told and nothing changes.
    const other = await attempt(name, people.neighbour, WORKSPACE)
    if (one.operation !== 'traces.queryTraceRuns') expect(other.text).not.toContain(MARKER)
    if (isOpen && reach === 'deployments' && effect === 'write') expect(REFUSED).toContain(other.code)
    if (reach !== 'own') expect(await rows()).toEqual(before)
    if (!isOpen) return
    const { code, text } = await attempt(name, people.limited, WORKSPACE)
    expect(code).not.toBe('forbidden')
    const isTold = effect === 'read' && reach === 'deployments' && !one.isPersonal
    // Sets of inputs have no deployment.
    if (isTold) expect(text.includes(MARKER)).toBe(name !== 'experiments.listInputSets')
  })

  test('a role for the workspace and a higher one for a deployment', async () => {
    const person = await testActor({ [WORKSPACE]: { role: 'viewer', deployments: { [deploymentId]: 'developer' } } })
    const store = await db()
    expect((await attempt('public-links.createPublicLink', person, WORKSPACE)).code).toBeUndefined()
    expect((await attempt('experiments.saveInputSet', person, WORKSPACE)).code).toBe('forbidden')
    expect((await attempt('audit.listAudit', person, WORKSPACE)).code).toBe('forbidden')
    expect((await attempt('alerts.readAlerts', person, WORKSPACE)).text).toContain(MARKER)
    await store.update(recordings).set({ deployment: 'another' })
    expect((await attempt('public-links.createPublicLink', person, WORKSPACE)).code).toBe('forbidden')
    expect((await attempt('recordings.listRecordings', person, WORKSPACE)).text).toContain(MARKER)
  })
})
