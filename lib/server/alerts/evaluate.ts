import 'server-only'
import { and, eq, getTableColumns, gt, inArray, sql } from 'drizzle-orm'
import {
  ALERT_EVERY_MS,
  ALERT_FIELDS,
  ALERT_KINDS,
  type AlertEvent,
  type AlertField,
  type AlertMessage,
  type AlertRule,
} from '@/lib/contracts/alerts/alerts'
import { initialMachine, type MachineSettings, step } from '@/lib/contracts/alerts/machine'
import { routes } from '@/lib/routes'
import { db, type StoreOrTransaction } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { mapConcurrent } from '../process/map-concurrent'
import { alertDeliveries, alertEvents, alertRules, alertSilences, alertStates } from '../process/schema'
import { holdLease, takeLease } from './lease'
import { type Findings, findingsOf, Round } from './readings'

/** An alert is resolved after it was seen to be fine for this long. */
const RESOLVE_MS = 30_000
/** A late round still counts; an outage of the console does not. */
const GAP_MS = 4 * ALERT_EVERY_MS
const WORKSPACES_AT_ONCE = 3

type State = Omit<typeof alertStates.$inferSelect, 'rule'>
/** `event`: what happened in this round; none for an alert that fires on, whose channels may not have been told yet. */
type Look = State & { event?: AlertEvent['event'] }

/** Evaluates all rules once. The holder must have the lease; if it has lost it meanwhile, nothing is written. */
export async function evaluateAll(holder: string, now = Date.now()): Promise<void> {
  const store = await db()
  const rules = await store.select().from(alertRules).where(eq(alertRules.isEnabled, true))
  const workspaces = grouped(rules)
  await mapConcurrent(
    [...workspaces],
    async ([workspace, own]) => {
      await evaluate(workspace, own, holder, now).catch((error: unknown) =>
        log.error('alerts.round_failed', { workspace, error }),
      )
    },
    WORKSPACES_AT_ONCE,
  )
  // Without rules too, so that the page can say that they are evaluated.
  if (await takeLease(holder)) await store.transaction((transaction) => holdLease(transaction, holder))
}

async function evaluate(workspace: string, rules: readonly AlertRule[], holder: string, now: number): Promise<void> {
  const round = new Round(workspace, now)
  const found = await Promise.all(rules.map(async (rule) => ({ rule, findings: await findingsOf(rule, round) })))
  const store = await db()
  // Renewed here, because the rounds of other workspaces may have taken long.
  if (!(await takeLease(holder))) return
  await store.transaction(async (transaction) => {
    if (!(await holdLease(transaction, holder))) return
    const messages = new Map<string, AlertMessage['alerts']>()
    const silences = await transaction
      .select()
      .from(alertSilences)
      .where(and(eq(alertSilences.workspace, workspace), gt(alertSilences.until, sql`now()`)))
    for (const { rule, findings } of found) {
      const { looks, gone } = await nextStates(transaction, rule, findings, now)
      const isSilenced = ({ deployment }: State) =>
        silences.some(
          (one) =>
            (one.rule === null || one.rule === rule.id) && (one.deployment === null || one.deployment === deployment),
        )
      const alerts = [...looks, ...gone].flatMap((look) => tell(workspace, rule, look, isSilenced(look), now))
      await recordEvents(transaction, workspace, rule, [...looks, ...gone], isSilenced, now)
      await storeStates(transaction, rule, looks, gone)
      if (alerts.length > 0)
        for (const channel of rule.channels) messages.set(channel, [...(messages.get(channel) ?? []), ...alerts])
    }
    // One message for each channel and round, whatever the number of alerts.
    for (const [channel, alerts] of messages) await enqueue(transaction, workspace, channel, alerts)
  })
}

/** The states of a rule after this round. `gone`: those of things that no longer exist. */
async function nextStates(
  transaction: StoreOrTransaction,
  rule: AlertRule,
  { found, isWhole }: Findings,
  now: number,
): Promise<{ looks: Look[]; gone: Look[] }> {
  const stored = await transaction.select().from(alertStates).where(eq(alertStates.rule, rule.id))
  const before = new Map(stored.map((one) => [one.subject, one]))
  const seen = new Set(found.map(({ subject }) => subject))
  const missing = stored.filter(({ subject }) => !seen.has(subject))
  // What was not read keeps its phase and says that it is unknown.
  const unread = isWhole ? [] : missing.map((one) => ({ ...one, reading: 'unknown' as const }))
  const settings = machineSettings(rule)
  const looks = [...found, ...unread].map(({ subject, name, deployment, reading, detail }): Look => {
    const last = before.get(subject)
    const { machine, event } = step(last?.machine ?? initialMachine(now), reading, now, settings)
    const isTold = last?.isTold ?? false
    // The reason why an alert fires stays readable while its cause cannot be read.
    const shown = reading === 'unknown' && last ? last.detail : detail
    return { subject, name, deployment, machine, isTold, detail: shown, ...(event && { event }) }
  })
  const gone = (isWhole ? missing : []).map(
    (one): Look => ({
      ...one,
      detail: 'It no longer exists.',
      ...(one.machine.phase === 'firing' && { event: 'resolved' as const }),
    }),
  )
  return { looks, gone }
}

/**
 * What the channels of a rule are told, and notes that they were: each alert once, a silenced one when the silence has ended
 * and it still fires, and the end only of what they were told.
 */
function tell(
  workspace: string,
  rule: AlertRule,
  look: Look,
  isSilenced: boolean,
  now: number,
): AlertMessage['alerts'] {
  const isFiring = look.machine.phase === 'firing' && look.event !== 'resolved'
  const isNews = isFiring ? !look.isTold && !isSilenced : look.event === 'resolved' && look.isTold
  look.isTold = isFiring && (look.isTold || isNews)
  if (!isNews) return []
  const { subject, name, deployment, detail } = look
  return [
    {
      ...{ rule: rule.id, ruleName: rule.name, subject, name, deployment, detail },
      event: isFiring ? ('fired' as const) : ('resolved' as const),
      at: new Date(now).toISOString(),
      url: urlOf(workspace, deployment),
    },
  ]
}

async function recordEvents(
  transaction: StoreOrTransaction,
  workspace: string,
  rule: AlertRule,
  looks: readonly Look[],
  isSilenced: (look: Look) => boolean,
  now: number,
): Promise<void> {
  const events = looks.flatMap((look) => {
    const { subject, name, deployment, detail, event } = look
    if (!event) return []
    const of = { workspace, rule: rule.id, ruleName: rule.name, subject, name, deployment, event, detail }
    return [{ ...of, isSilenced: isSilenced(look), at: new Date(now) }]
  })
  if (events.length > 0) await transaction.insert(alertEvents).values(events)
}

async function storeStates(
  transaction: StoreOrTransaction,
  rule: AlertRule,
  looks: readonly Look[],
  gone: readonly Look[],
): Promise<void> {
  const ended = gone.map(({ subject }) => subject)
  if (ended.length > 0)
    await transaction.delete(alertStates).where(and(eq(alertStates.rule, rule.id), inArray(alertStates.subject, ended)))
  if (looks.length === 0) return
  const { name, deployment, machine, isTold, detail } = getTableColumns(alertStates)
  const now = (column: { name: string }) => sql`excluded.${sql.identifier(column.name)}`
  await transaction
    .insert(alertStates)
    .values(looks.map(({ event: _event, ...state }) => ({ ...state, rule: rule.id })))
    .onConflictDoUpdate({
      target: [alertStates.rule, alertStates.subject],
      set: {
        ...{ name: now(name), deployment: now(deployment), machine: now(machine) },
        ...{ isTold: now(isTold), detail: now(detail) },
      },
    })
}

async function enqueue(
  transaction: StoreOrTransaction,
  workspace: string,
  channel: string,
  alerts: AlertMessage['alerts'],
): Promise<void> {
  const message: AlertMessage = { workspace, alerts, url: urlOf(workspace, null, true) }
  await transaction.insert(alertDeliveries).values({ workspace, channel, subject: subjectOf(alerts), message })
}

const urlOf = (workspace: string, deployment: string | null, isAlerts = false) =>
  env().NEXTAUTH_URL +
  (deployment !== null && !isAlerts ? routes.deployment(workspace, deployment) : routes.alerts(workspace))

/** "Firing: billing (unhealthy)", or how many there are. */
export function subjectOf(alerts: AlertMessage['alerts']): string {
  const [first] = alerts
  if (first && alerts.length === 1)
    return `${first.event === 'fired' ? 'Firing' : 'Resolved'}: ${first.name} (${first.ruleName})`
  const fired = alerts.filter(({ event }) => event === 'fired').length
  return [fired && `${fired} firing`, alerts.length - fired && `${alerts.length - fired} resolved`]
    .filter(Boolean)
    .join(', ')
}

const minutesOf = ({ kind, settings }: AlertRule): number =>
  (ALERT_KINDS[kind].fields as readonly AlertField[]).includes('minutes')
    ? (settings.minutes ?? ALERT_FIELDS.minutes.usual)
    : 0

/** A thread's own time says how long it has waited, so that rule needs no time of its own. */
export const machineSettings = (rule: AlertRule): MachineSettings => ({
  fireMs: rule.kind === 'waiting' ? 0 : minutesOf(rule) * 60_000,
  resolveMs: RESOLVE_MS,
  gapMs: GAP_MS,
})

function grouped<Rule extends { workspace: string }>(rules: readonly Rule[]): Map<string, Rule[]> {
  const found = new Map<string, Rule[]>()
  for (const rule of rules) found.set(rule.workspace, [...(found.get(rule.workspace) ?? []), rule])
  return found
}
