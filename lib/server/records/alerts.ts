import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, count, desc, eq, gt, inArray, ne, or, sql } from 'drizzle-orm'
import type {
  AlertChannel,
  AlertDelivery,
  AlertEvent,
  AlertRule,
  AlertSilence,
  AlertState,
  AlertsView,
  ChannelKind,
} from '@/lib/contracts/alerts/alerts'
import { consoleRecords } from '@/lib/contracts/console-records'
import { AppError } from '@/lib/errors'
import { routes } from '@/lib/routes'
import type { Actor } from '../access/actor'
import { sealChannel, unsealChannel } from '../access/alert-channel-secrets'
import { audited, authorizeRead } from '../audit/own-records'
import { db } from '../process/db'
import { env } from '../process/env'
import {
  alertChannels,
  alertDeliveries,
  alertEvents,
  alertLease,
  alertRules,
  alertSilences,
  alertStates,
} from '../process/schema'

const MOST = { rules: 100, channels: 50 }
const LISTED = { events: 200, deliveries: 100 }

/** Everything on the alerts page. Healthy subjects are left out. */
export async function readAlerts(actor: Actor, workspace: string): Promise<Omit<AlertsView, 'mailProblem'>> {
  await authorizeRead(consoleRecords.readAlerts, actor, workspace)
  const store = await db()
  const [rules, channels, states, silences, events, deliveries, [lease]] = await Promise.all([
    store
      .select({ rule: alertRules, watched: count(alertStates.subject) })
      .from(alertRules)
      .leftJoin(alertStates, eq(alertStates.rule, alertRules.id))
      .where(eq(alertRules.workspace, workspace))
      .groupBy(alertRules.id)
      .orderBy(sql`lower(${alertRules.name})`),
    store
      .select()
      .from(alertChannels)
      .where(eq(alertChannels.workspace, workspace))
      .orderBy(sql`lower(${alertChannels.name})`),
    store
      .select({ state: alertStates })
      .from(alertStates)
      .innerJoin(alertRules, and(eq(alertRules.id, alertStates.rule), eq(alertRules.isEnabled, true)))
      .where(
        and(
          eq(alertRules.workspace, workspace),
          or(ne(sql`${alertStates.machine}->>'phase'`, 'ok'), eq(sql`${alertStates.machine}->>'reading'`, 'unknown')),
        ),
      ),
    store
      .select()
      .from(alertSilences)
      .where(and(eq(alertSilences.workspace, workspace), gt(alertSilences.until, sql`now()`)))
      .orderBy(alertSilences.until),
    store
      .select()
      .from(alertEvents)
      .where(eq(alertEvents.workspace, workspace))
      .orderBy(desc(alertEvents.at))
      .limit(LISTED.events),
    store
      .select({ delivery: alertDeliveries, channelName: alertChannels.name })
      .from(alertDeliveries)
      .innerJoin(alertChannels, eq(alertChannels.id, alertDeliveries.channel))
      .where(eq(alertDeliveries.workspace, workspace))
      .orderBy(desc(alertDeliveries.createdAt))
      .limit(LISTED.deliveries),
    store.select().from(alertLease),
  ])
  return {
    rules: rules.map(({ rule, watched }) => ({ ...ruleOf(rule), watched })),
    channels: channels.map(channelOf),
    states: states.map(({ state }) => stateOf(state)).sort(byUrgency),
    silences: silences.map(({ workspace: _, until, ...one }): AlertSilence => ({ ...one, until: until.toISOString() })),
    events: events.map(({ workspace: _, at, ...one }): AlertEvent => ({ ...one, at: at.toISOString() })),
    deliveries: deliveries.map(deliveryOf),
    evaluatedAt: lease?.evaluatedAt?.toISOString() ?? null,
  }
}

const ruleOf = ({ workspace: _, createdAt: __, ...rule }: typeof alertRules.$inferSelect): AlertRule => rule
const channelOf = ({ id, name, kind, target, sealed }: typeof alertChannels.$inferSelect): AlertChannel => ({
  ...{ id, name, kind, target },
  hasSecret: sealed !== null,
})
const stateOf = ({ machine, ...one }: typeof alertStates.$inferSelect): AlertState => ({
  ...{ rule: one.rule, subject: one.subject, name: one.name, deployment: one.deployment, detail: one.detail },
  phase: machine.phase,
  isUnknown: machine.reading === 'unknown',
  since: new Date(machine.since).toISOString(),
  checkedAt: new Date(machine.at).toISOString(),
})
const ORDER = { firing: 0, pending: 1, ok: 2 }
const byUrgency = (a: AlertState, b: AlertState) =>
  ORDER[a.phase] - ORDER[b.phase] || b.since.localeCompare(a.since) || a.name.localeCompare(b.name)

function deliveryOf({
  delivery,
  channelName,
}: {
  delivery: typeof alertDeliveries.$inferSelect
  channelName: string
}): AlertDelivery {
  const { id, channel, subject, status, attempts, problem, isTest, createdAt, endedAt, nextAt } = delivery
  return {
    ...{ id, channel, channelName, subject, status, attempts, problem, isTest },
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    nextAt: status === 'waiting' ? nextAt.toISOString() : null,
  }
}

type Write = { actor: Actor; workspace: string; requestId: string }

/** Adds a rule or changes the one with `id`. A changed rule starts over: its state was found with the old settings. */
export async function saveAlertRule(
  { actor, workspace, requestId }: Write,
  { id, ...rule }: Omit<AlertRule, 'id'> & { id?: string },
): Promise<string> {
  const fields = Object.keys(rule)
  const params = { ...(id && { rule: id }), name: rule.name }
  return await audited(consoleRecords.saveAlertRule, { actor, workspace, params, fields, requestId }, async () => {
    const store = await db()
    const own = await store
      .select({ id: alertChannels.id })
      .from(alertChannels)
      .where(and(eq(alertChannels.workspace, workspace), inArray(alertChannels.id, rule.channels)))
    if (own.length !== new Set(rule.channels).size)
      throw new AppError('invalid', 'One of the channels no longer exists.', {
        fields: [{ path: ['channels'], message: 'One of the channels no longer exists.' }],
      })
    if (!id) await assertRoom(alertRules, workspace, MOST.rules, 'rules')
    return await store.transaction(async (transaction) => {
      const place = and(eq(alertRules.workspace, workspace), eq(alertRules.id, id ?? randomUUID()))
      const saved = await unique('rule', () =>
        id
          ? transaction.update(alertRules).set(rule).where(place).returning({ id: alertRules.id })
          : transaction
              .insert(alertRules)
              .values({ ...rule, workspace })
              .returning({ id: alertRules.id }),
      )
      if (!saved[0]) throw new AppError('not_found', 'This workspace has no such rule.')
      if (id) await transaction.delete(alertStates).where(eq(alertStates.rule, id))
      return saved[0].id
    })
  })
}

export async function deleteAlertRule({ actor, workspace, requestId }: Write, id: string): Promise<void> {
  const write = { actor, workspace, params: { rule: id }, requestId }
  await audited(consoleRecords.deleteAlertRule, write, async () => {
    await (await db()).delete(alertRules).where(and(eq(alertRules.workspace, workspace), eq(alertRules.id, id)))
  })
}

export type ChannelDraft = {
  id?: string
  name: string
  kind: ChannelKind
  /** The address of a webhook; absent keeps the stored one. */
  url?: string
  /** The signing secret of a webhook; absent keeps the stored one for the same origin. */
  secret?: string
  /** Recipients of e-mail. */
  recipients?: string[]
}

/** Adds a channel or changes the one with `id`. What is not given is kept. */
export async function saveAlertChannel({ actor, workspace, requestId }: Write, draft: ChannelDraft): Promise<string> {
  const { id: known, name, kind } = draft
  const id = known ?? randomUUID()
  const fields = Object.keys(draft).filter((field) => field !== 'id')
  const write = { actor, workspace, params: { channel: id, name }, fields, requestId }
  return await audited(consoleRecords.saveAlertChannel, write, async () => {
    const store = await db()
    if (!known) await assertRoom(alertChannels, workspace, MOST.channels, 'channels')
    const place = and(eq(alertChannels.workspace, workspace), eq(alertChannels.id, id))
    const [before] = known ? await store.select().from(alertChannels).where(place) : []
    if (known && !before) throw new AppError('not_found', 'This workspace has no such channel.')
    if (before && before.kind !== kind) throw new AppError('invalid', 'The kind of a channel cannot change.')
    const values = { name, kind, ...addressOf(id, draft, before) }
    await unique('channel', () =>
      known
        ? store.update(alertChannels).set(values).where(place)
        : store.insert(alertChannels).values({ ...values, id, workspace }),
    )
    return id
  })
}

function addressOf(id: string, draft: ChannelDraft, before: typeof alertChannels.$inferSelect | undefined) {
  if (draft.kind === 'email') {
    const target = draft.recipients?.join(', ') ?? before?.target
    if (!target) throw missing('recipients', 'Enter at least one address.')
    return { target, sealed: null }
  }
  const stored = before?.sealed ? unsealChannel(id, before.sealed, new URL(before.target).origin) : undefined
  const url = draft.url ?? stored?.url
  if (!url) throw missing('url', 'Enter the address.')
  // A secret is never sent to another origin than the one that it was entered for.
  const isSame = stored !== undefined && new URL(stored.url).origin === new URL(url).origin
  const secret = draft.secret ?? (isSame ? stored.secret : undefined)
  if (draft.kind === 'webhook' && !secret) throw missing('secret', 'Enter a secret to sign the messages with.')
  return { target: new URL(url).origin, sealed: sealChannel(id, { url, secret }) }
}

const missing = (field: string, message: string) =>
  new AppError('invalid', message, { fields: [{ path: [field], message }] })

/** Deletes a channel with its deliveries, and takes it out of the rules. */
export async function deleteAlertChannel({ actor, workspace, requestId }: Write, id: string): Promise<void> {
  const write = { actor, workspace, params: { channel: id }, requestId }
  await audited(consoleRecords.deleteAlertChannel, write, async () => {
    const store = await db()
    await store.transaction(async (transaction) => {
      await transaction
        .update(alertRules)
        .set({ channels: sql`array_remove(${alertRules.channels}, ${id}::uuid)` })
        .where(eq(alertRules.workspace, workspace))
      await transaction
        .delete(alertChannels)
        .where(and(eq(alertChannels.workspace, workspace), eq(alertChannels.id, id)))
    })
  })
}

/** Adds a test message for a channel. `send` sends it, and its outcome is returned. */
export async function testAlertChannel(
  { actor, workspace, requestId }: Write,
  id: string,
  send: (delivery: string) => Promise<void>,
): Promise<AlertDelivery> {
  const write = { actor, workspace, params: { channel: id }, requestId }
  return await audited(consoleRecords.testAlertChannel, write, async () => {
    const store = await db()
    const [channel] = await store
      .select()
      .from(alertChannels)
      .where(and(eq(alertChannels.workspace, workspace), eq(alertChannels.id, id)))
    if (!channel) throw new AppError('not_found', 'This workspace has no such channel.')
    const url = `${env().NEXTAUTH_URL}${routes.alerts(workspace)}`
    const alert = {
      ...{ rule: id, ruleName: 'Test', subject: 'test', name: 'Test message', deployment: null },
      ...{ event: 'fired' as const, detail: `${actor.email} sent this to try the channel.`, url },
      at: new Date().toISOString(),
    }
    const [made] = await store
      .insert(alertDeliveries)
      .values({
        ...{ workspace, channel: id, subject: 'Test message', isTest: true },
        message: { workspace, alerts: [alert], url },
      })
      .returning({ id: alertDeliveries.id })
    const delivery = made?.id ?? ''
    await send(delivery)
    const [sent] = await store.select().from(alertDeliveries).where(eq(alertDeliveries.id, delivery))
    if (!sent) throw new AppError('not_found', 'The channel was deleted.')
    return deliveryOf({ delivery: sent, channelName: channel.name })
  })
}

/** Keeps channels quiet about a rule, a deployment or all of the workspace. */
export async function silenceAlerts(
  { actor, workspace, requestId }: Write,
  given: { rule: string | null; deployment: string | null; reason: string; hours: number },
): Promise<void> {
  const { rule, deployment, reason, hours } = given
  const params = { ...(rule && { rule }), ...(deployment && { deployment }) }
  const write = { actor, workspace, params, fields: ['reason', 'hours'], requestId }
  await audited(consoleRecords.silenceAlerts, write, async () => {
    const store = await db()
    if (rule) {
      const [own] = await store
        .select({ id: alertRules.id })
        .from(alertRules)
        .where(and(eq(alertRules.workspace, workspace), eq(alertRules.id, rule)))
      if (!own) throw new AppError('not_found', 'This workspace has no such rule.')
    }
    await store.insert(alertSilences).values({
      ...{ workspace, rule, deployment, reason, by: actor.email },
      until: sql`now() + make_interval(hours => ${hours})`,
    })
  })
}

export async function endAlertSilence({ actor, workspace, requestId }: Write, id: string): Promise<void> {
  const write = { actor, workspace, params: { silence: id }, requestId }
  await audited(consoleRecords.endAlertSilence, write, async () => {
    await (await db())
      .delete(alertSilences)
      .where(and(eq(alertSilences.workspace, workspace), eq(alertSilences.id, id)))
  })
}

async function assertRoom(
  table: typeof alertRules | typeof alertChannels,
  workspace: string,
  most: number,
  what: string,
): Promise<void> {
  const [found] = await (await db()).select({ n: count() }).from(table).where(eq(table.workspace, workspace))
  if ((found?.n ?? 0) >= most) throw new AppError('conflict', `A workspace has at most ${most} ${what}.`)
}

/** Throws AppError conflict if the name is taken. */
async function unique<T>(what: string, write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    for (let one: unknown = error; one instanceof Error; one = one.cause)
      if ('code' in one && one.code === '23505') {
        const message = `A ${what} of this workspace has this name.`
        throw new AppError('conflict', message, { fields: [{ path: ['name'], message }] })
      }
    throw error
  }
}
