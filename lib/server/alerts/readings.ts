import 'server-only'
import { ALERT_FIELDS, type AlertField, type AlertRule } from '@/lib/contracts/alerts/alerts'
import type { Reading } from '@/lib/contracts/alerts/machine'
import { type DeploymentRow, healthGroup, rowHealth } from '@/lib/contracts/deployments/deployment-row'
import { traces } from '@/lib/contracts/traces'
import type { TraceTotals } from '@/lib/contracts/traces/run-queries'
import { isRevisionFailed, revisionLabel } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import type { Inbox } from '@/lib/stream/inbox'
import { systemActor } from '../access/actor'
import { InboxReader } from '../inbox/inbox-reader'
import { mapConcurrent } from '../process/map-concurrent'
import { within } from '../process/within'
import { type Fleet, readFleet } from '../resources/fleet'
import { readRunRows } from '../resources/runs/list'
import { tracingProjects } from '../resources/runs/traced'
import { call } from '../upstream/call'

// What each rule finds. Data that could not be read is `unknown`, never `good`.

/** One thing that a rule watches. */
export type Found = { subject: string; name: string; deployment: string | null; reading: Reading; detail: string }
/** `isWhole`: what is not listed no longer exists. Otherwise it could not be read. */
export type Findings = { found: Found[]; isWhole: boolean }

const actor = systemActor('alerts')
const DEADLINE_MS = 10_000
/** An alert for a bound is resolved this far below it. */
const MARGIN = 0.9
const PROBLEM_CHARS = 300
const CRON_WINDOW = '24h'

const inboxes = new Map<string, InboxReader>()
const known = (field: AlertField, { settings }: AlertRule) => settings[field] ?? ALERT_FIELDS[field].usual

/** Reads each source at most once for all rules of a workspace in one round. */
export class Round {
  readonly #read = new Map<string, Promise<unknown>>()
  readonly #signal = AbortSignal.timeout(DEADLINE_MS)

  constructor(
    readonly workspace: string,
    readonly now: number,
  ) {}

  /** The value, or the AppError why it could not be read. */
  async #once<T>(key: string, read: () => Promise<T>): Promise<T | AppError> {
    const before = this.#read.get(key)
    const started =
      (before as Promise<T | AppError> | undefined) ??
      within(DEADLINE_MS, read(), tooLate()).catch((error: unknown) => asAppError(error))
    this.#read.set(key, started)
    return await started
  }

  fleet = (): Promise<Fleet | AppError> => this.#once('fleet', () => readFleet(this.workspace, {}, { actor }))

  inbox = (): Promise<Inbox | AppError> =>
    this.#once('inbox', () => {
      const reader = inboxes.get(this.workspace) ?? new InboxReader(this.workspace)
      inboxes.set(this.workspace, reader)
      return reader.read(this.#signal)
    })

  /** Tracing project ids by deployment; null without a tracing server. */
  projects = (rows: readonly DeploymentRow[]): Promise<Map<string, string> | null | AppError> =>
    this.#once('projects', async () => {
      const options = { actor, signal: this.#signal }
      return await tracingProjects(this.workspace, rows, options)
    })

  totals = (project: string, minutes: number): Promise<TraceTotals | AppError> =>
    this.#once(`totals ${project} ${minutes}`, () =>
      call(
        traces.getTraceTotals,
        {
          workspace: this.workspace,
          body: { session: [project], is_root: true, start_time: new Date(this.now - minutes * 60_000).toISOString() },
        },
        { actor, signal: this.#signal },
      ),
    )

  cronRuns = () =>
    this.#once('crons', () => readRunRows(this.workspace, { by: 'Cron', since: CRON_WINDOW, limit: 100 }, actor))
}

const tooLate = () => new AppError('upstream_unreachable', `No answer within ${DEADLINE_MS / 1000} s.`)
const asAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('internal', 'It could not be read.', { cause: error })

/** What a rule finds now. */
export async function findingsOf(rule: AlertRule, round: Round): Promise<Findings> {
  const { found, isWhole } = await find(rule, round)
  const { deployments } = rule
  return {
    isWhole,
    found: found.filter((one) => !deployments || !one.deployment || deployments.includes(one.deployment)),
  }
}

const NOTHING_KNOWN: Findings = { found: [], isWhole: false }

async function find(rule: AlertRule, round: Round): Promise<Findings> {
  if (rule.kind === 'unreachable') return await unreachable(round)
  const fleet = await round.fleet()
  if (fleet instanceof AppError) return NOTHING_KNOWN
  const rows = fleet.rows.filter(({ id }) => !rule.deployments || rule.deployments.includes(id))
  const isWhole = !fleet.isCut
  switch (rule.kind) {
    case 'unhealthy':
      return { found: rows.map(healthFound), isWhole }
    case 'failed_revision':
      return { found: rows.map(revisionFound), isWhole }
    case 'error_rate':
    case 'latency':
      return { found: await mapConcurrent(rows, (row) => totalsFound(rule, row, rows, round)), isWhole }
    case 'waiting':
      return await waitingFound(rule, rows, round, isWhole)
    case 'cron_failed':
      return await cronFound(rows, round, isWhole)
  }
}

const subjectOf = ({ id, name }: Pick<DeploymentRow, 'id' | 'name'>) => ({ subject: id, name, deployment: id })

/** Runs that fail have a rule of their own. */
function healthFound(given: DeploymentRow): Found {
  const row = { ...given, failing: null }
  const group = healthGroup(row)
  const { label, detail } = rowHealth(row)
  const reading = group === 'failing' ? 'bad' : group === 'unknown' ? 'unknown' : 'good'
  return { ...subjectOf(row), reading, detail: `${label}. ${detail}` }
}

function revisionFound(row: DeploymentRow): Found {
  const { latest, active } = row
  const one = subjectOf(row)
  // The state of a revision that serves is not read: to deploy it again changes nothing until that succeeds.
  if (!latest || latest.id === active?.id) return { ...one, reading: 'good', detail: 'The latest revision serves.' }
  if (latest.status === null) return { ...one, reading: 'unknown', detail: 'The latest revision could not be read.' }
  return {
    ...one,
    reading: isRevisionFailed(latest.status) ? 'bad' : 'good',
    detail: `Latest revision: ${revisionLabel(latest.status).toLowerCase()}.${active ? ' An earlier one serves.' : ''}`,
  }
}

async function totalsFound(
  rule: AlertRule,
  row: DeploymentRow,
  rows: readonly DeploymentRow[],
  round: Round,
): Promise<Found> {
  const one = subjectOf(row)
  const unknown = (detail: string): Found => ({ ...one, reading: 'unknown', detail })
  const projects = await round.projects(rows)
  if (projects === null) return unknown('This workspace has no tracing server.')
  if (projects instanceof AppError) return unknown(short(projects.message))
  const project = projects.get(row.id)
  const minutes = known('window', rule)
  if (!project) return { ...one, reading: 'good', detail: 'It has logged no runs.' }
  const totals = await round.totals(project, minutes)
  if (totals instanceof AppError) return unknown(short(totals.message))
  const runs = totals.run_count ?? 0
  if (runs < known('runs', rule))
    return {
      ...one,
      reading: 'good',
      detail: `${runs} ${runs === 1 ? 'run' : 'runs'} in ${minutes} min, too few to tell.`,
    }
  const isRate = rule.kind === 'error_rate'
  const value = isRate ? (100 * (totals.error_count ?? 0)) / runs : totals.latency_p95
  if (value === null || value === undefined) return unknown('The tracing server did not send the figure.')
  const bound = known(isRate ? 'percent' : 'seconds', rule)
  const reading = value > bound ? 'bad' : value > bound * MARGIN ? 'near' : 'good'
  const figure = Math.round(value * 10) / 10
  return {
    ...one,
    reading,
    detail: isRate
      ? `${figure} % of ${runs} runs failed in ${minutes} min.`
      : `p95 is ${figure} s over ${runs} runs in ${minutes} min.`,
  }
}

async function waitingFound(
  rule: AlertRule,
  rows: readonly DeploymentRow[],
  round: Round,
  isWhole: boolean,
): Promise<Findings> {
  const inbox = await round.inbox()
  if (inbox instanceof AppError) return NOTHING_KNOWN
  const unread = new Map(inbox.unread.map(({ deployment, message }) => [deployment, message]))
  const limit = known('minutes', rule) * 60_000
  const found = rows.map((row): Found => {
    const problem = unread.get(row.id)
    if (problem !== undefined) return { ...subjectOf(row), reading: 'unknown', detail: short(problem) }
    const late = inbox.threads.flatMap(({ deployment, since }) =>
      deployment === row.id && since !== null && round.now - Date.parse(since) >= limit ? [since] : [],
    )
    return {
      ...subjectOf(row),
      reading: late.length > 0 ? 'bad' : inbox.pending > 0 ? 'unknown' : 'good',
      detail: late[0] ? `${threads(late.length)} waiting since ${minuteOf(late[0])}.` : 'Nothing has waited that long.',
    }
  })
  return { found, isWhole }
}
const minuteOf = (at: string) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
const threads = (count: number) => (count === 1 ? 'One thread is' : `${count} threads are`)

async function cronFound(rows: readonly DeploymentRow[], round: Round, isWhole: boolean): Promise<Findings> {
  const page = await round.cronRuns()
  if (page instanceof AppError) return NOTHING_KNOWN
  const { looked } = page
  // Only traces tell of all cron runs: servers list runs by thread.
  const isKnown = looked?.traced?.isPartial === false && !looked.isPending && looked.problems.length === 0
  const found = rows.map((row): Found => {
    // Newest first, so the first run of each assistant is its last one.
    const last = new Map<string, (typeof page.rows)[number]>()
    for (const run of page.rows)
      if (run.deployment === row.id && run.endedAt && !last.has(run.assistant)) last.set(run.assistant, run)
    const failed = [...last.values()].filter(({ status }) => status === 'error' || status === 'timeout')
    const reading = failed.length > 0 ? 'bad' : isKnown || last.size > 0 ? 'good' : 'unknown'
    return {
      ...subjectOf(row),
      reading,
      detail: failed[0]
        ? `The run of ${failed[0].startedAt} failed.`
        : reading === 'good'
          ? 'No failed run.'
          : 'Not all runs of the last day could be read.',
    }
  })
  return { found, isWhole }
}

async function unreachable(round: Round): Promise<Findings> {
  const fleet = await round.fleet()
  const isDown = fleet instanceof AppError
  const plane: Found = {
    ...{ subject: 'control-plane', name: 'Control plane', deployment: null },
    reading: !isDown ? 'good' : isUnreachable(fleet) ? 'bad' : 'unknown',
    detail: isDown ? short(fleet.message) : 'It responds.',
  }
  if (isDown) return { found: [plane], isWhole: false }
  const [inbox, projects] = await Promise.all([round.inbox(), round.projects(fleet.rows)])
  const found = [plane]
  if (projects !== null) {
    const isFailed = projects instanceof AppError
    found.push({
      ...{ subject: 'tracing-server', name: 'Tracing server', deployment: null },
      reading: !isFailed ? 'good' : isUnreachable(projects) ? 'bad' : 'unknown',
      detail: isFailed ? short(projects.message) : 'It responds.',
    })
  }
  if (inbox instanceof AppError) return { found, isWhole: false }
  const unread = new Map(inbox.unread.map((one) => [one.deployment, one.message]))
  for (const row of fleet.rows) {
    // A deployment that serves nothing has no agent server to reach.
    if (!row.active || !row.url) continue
    const problem = unread.get(row.id)
    found.push({
      ...subjectOf(row),
      reading: problem !== undefined ? 'bad' : inbox.pending > 0 ? 'unknown' : 'good',
      detail: problem === undefined ? 'Its agent server responds.' : short(problem),
    })
  }
  return { found, isWhole: !fleet.isCut }
}

/** A refused key or a shape that is not understood is an answer. */
const isUnreachable = ({ code }: AppError) => code === 'upstream_unreachable' || code === 'upstream_failed'
const short = (message: string) => message.slice(0, PROBLEM_CHARS)
