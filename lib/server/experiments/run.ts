import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { RunConfiguration } from '@/lib/contracts/agents/runs'
import { holdsRedacted } from '@/lib/contracts/wire/redact'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import type { Experiment, Pair, PairResult, Subject } from '@/lib/stream/experiments'
import type { RecordingSummary } from '@/lib/stream/log'
import type { Actor } from '../access/actor'
import { systemActor } from '../access/actor'
import { clock } from '../process/clock'
import { log } from '../process/log'
import { mapConcurrent } from '../process/map-concurrent'
import { shutdownSignal } from '../process/shutdown'
import { type RunBody, startWhenFree } from '../recorder/start'
import {
  createExperiment,
  type ExperimentRow,
  findExperiment,
  type PairRow,
  takeExperiment,
} from '../records/experiments'
import { recordedRows } from '../records/recorded-runs'
import { readRecording } from '../records/recordings'
import { serveRead } from '../relay/serve-read'
import { call } from '../upstream/call'
import { authorize } from '../upstream/call-context'
import { evaluate, refuseBadChecks } from './checks'
import { claimPair, fillPair, notePair, renewExperiment } from './pairs'
import { EXPIRED, isTold, resultOf, tracedOf } from './result'
import { earlierResults, revisionToRun, servingRevision, withSources } from './revisions'

/** Runs of an experiment at the same time. */
const AT_ONCE = 4
const LOOK_MS = 400
const RENEW_MS = 5_000
/** Nobody watches a start, and a result whose version is unknown cannot be reused. */
const VERSION_MS = 10_000

const reader = systemActor('experiments')
type Place = { workspace: string; id: string }
type NewExperiment = Parameters<typeof createExperiment>[1]

/** Stores an experiment and starts its runs. Throws AppError, and then there is none. */
export async function startExperiment(actor: Actor, made: NewExperiment, requestId: string): Promise<void> {
  refuseBadChecks(made.checks)
  await authorizeAll(actor, made.workspace, made.subjects)
  // A version or revision that does not exist is found before anything is stored.
  const subjects = await withSources(actor, made.workspace, made.subjects)
  await requestsOf(actor, made.workspace, subjects)
  const earlier = await earlierResults(actor, made)
  await createExperiment(actor, { ...made, subjects }, requestId)
  for (const { last, ...pair } of earlier) await fillPair(made.id, pair, last)
  await startReady(actor, made, requestId)
}

/** Starts what was not started. Throws AppError if nothing can be, because none of the chosen revisions serves. */
export async function continueExperiment(actor: Actor, place: Place, requestId: string): Promise<void> {
  const refusal = await startReady(actor, place, requestId)
  if (refusal) throw refusal
}

/**
 * Starts what was not started, except in columns whose revision does not serve. The runs go on when the person leaves, and no
 * other instance starts them meanwhile. Returns why nothing could be started, if so.
 */
async function startReady(actor: Actor, { workspace, id }: Place, requestId: string): Promise<AppError | undefined> {
  const place = { workspace, id }
  const { row, pairs: before } = await findExperiment(actor, place)
  await authorizeAll(actor, workspace, row.subjects)
  const requests = await requestsOf(actor, workspace, row.subjects)
  const refusals = await mapConcurrent(row.subjects, (subject) => refusalOf(actor, workspace, subject))
  const left = before.filter(({ state }) => state !== 'ended')
  const mayGoOn = ({ subject, recording }: PairRow) => recording !== null || !refusals[subject]
  if (left[0] && !left.some(mayGoOn)) return refusals[left[0].subject]
  if (!(await takeExperiment(actor, place, requestId))) return undefined
  const { pairs } = await findExperiment(actor, place)
  void runPairs(actor, row, requests, pairs.filter(mayGoOn)).catch((error: unknown) =>
    log.error('experiments.stopped', { experiment: id, error }),
  )
  return undefined
}

/** Why a column cannot run now. */
const refusalOf = (actor: Actor, workspace: string, subject: Subject): Promise<AppError | undefined> =>
  revisionToRun(actor, workspace, subject).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof AppError) return error
      throw error
    },
  )

async function authorizeAll(actor: Actor, workspace: string, subjects: readonly Subject[]): Promise<void> {
  for (const { deployment: deploymentId } of subjects)
    await authorize(agentServer.createRunStream, { workspace, deploymentId }, actor)
}

type Requests = Omit<RunBody, 'input'>[]

/**
 * The request of each subject. An assistant's version runs as the graph's own assistant with the settings of that version,
 * because servers run only the active one.
 */
async function requestsOf(actor: Actor, workspace: string, subjects: readonly Subject[]): Promise<Requests> {
  return await mapConcurrent(subjects, async ({ deployment: deploymentId, assistant, version, name, options }) => {
    const own = parseJson(options ?? '{}') as RunConfiguration // checked before it was stored
    if (version === null) return { assistant_id: assistant, ...own }
    const at = { workspace, deploymentId, params: { assistant_id: assistant } }
    for (let offset = 0; ; offset += 100) {
      const page = await call(agentServer.listAssistantVersions, { ...at, body: { limit: 100, offset } }, { actor })
      const found = page.find((one) => one.version === version)
      if (found) {
        if (holdsRedacted(found.config))
          throw new AppError(
            'invalid',
            `${name} v${version} holds a credential, so only its server can run it. ${ACTIVATE}`,
          )
        const config = withOwn(recordOf(found.config), recordOf(own.config))
        const context = { ...recordOf(found.context), ...own.context }
        return {
          ...{ ...own, assistant_id: found.graph_id },
          ...(Object.keys(config).length > 0 && { config }),
          ...(Object.keys(context).length > 0 && { context }),
        } as Requests[number] // checked by `call`
      }
      if (page.length < 100) throw new AppError('invalid', `${name} has no version ${version}.`)
    }
  })
}

const ACTIVATE = 'Activate this version, and choose the active one.'
const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** A configuration with that of a run, as servers add it to the assistant's. */
function withOwn(base: Record<string, unknown>, own: Record<string, unknown>): Record<string, unknown> {
  const tags = [base.tags, own.tags].flatMap((some) => (Array.isArray(some) ? some : []))
  const configurable = { ...recordOf(base.configurable), ...recordOf(own.configurable) }
  return {
    ...{ ...base, ...own },
    ...(tags.length > 0 && { tags: [...new Set(tags)] }),
    ...(Object.keys(configurable).length > 0 && { configurable }),
  }
}

async function runPairs(actor: Actor, row: ExperimentRow, requests: Requests, pairs: readonly PairRow[]) {
  const { id } = row
  let mayStart = true
  const renewal = setInterval(() => {
    renewExperiment(id, false).then(
      (isOn) => {
        mayStart &&= isOn
      },
      (error: unknown) => log.warn('experiments.not_renewed', { experiment: id, error }),
    )
  }, RENEW_MS)
  const costs: Promise<void>[] = []
  try {
    await mapConcurrent(
      pairs,
      async (pair) => {
        if (pair.state === 'ended') return
        if (pair.state === 'running') return void (await follow(row, pair, pair.recording, costs))
        mayStart &&= !shutdownSignal().aborted && (await renewExperiment(id, false))
        const subject = row.subjects[pair.subject]
        if (!mayStart || !subject || !(await claimPair(id, pair))) return
        try {
          const began = Date.now()
          let revision = null as string | null
          const summary = await startWhenFree(
            () => mayStart && !shutdownSignal().aborted,
            async () => {
              // At each attempt, because another one may serve by then.
              revision = await revisionToRun(actor, row.workspace, subject)
              return {
                ...{ actor, workspace: row.workspace, deploymentId: subject.deployment },
                thread: { kind: 'new' },
                body: { ...requests[pair.subject], input: parseJson(row.inputs[pair.input] ?? 'null') } as RunBody, // checked by `call`
                // A start that was repeated after a crash gets the same run.
                key: `experiment ${id} ${pair.subject} ${pair.input}`,
                versionMs: VERSION_MS,
              }
            },
          )
          // Nobody knows which one served at the start that was repeated.
          if (Date.parse(summary.startedAt) < began) revision = null
          await notePair(id, pair, { state: 'running', recording: summary.id, revision })
          await follow(row, { ...pair, revision }, summary.id, costs)
        } catch (error) {
          if (shutdownSignal().aborted) return
          if (!(error instanceof AppError)) throw error
          await notePair(id, pair, { state: 'failed', error: error.message })
          // Nobody may start the others either.
          if (error.code === 'forbidden' || error.code === 'unauthenticated') mayStart = false
        }
      },
      AT_ONCE,
    )
    await Promise.all(costs)
  } finally {
    clearInterval(renewal)
    await renewExperiment(id, true)
  }
}

/** Waits for the end of a pair's run and stores its result, then what its trace tells. */
async function follow(row: ExperimentRow, pair: PairRow, recording: string | null, costs: Promise<void>[]) {
  if (recording === null) return
  for (;;) {
    const summary = await recordingOf(row.workspace, recording)
    if (!summary || summary.phase === 'ended') {
      const result = await settle(row, pair, summary)
      costs.push(addTraced(row, pair, result))
      return
    }
    if (shutdownSignal().aborted) return
    await clock().pause(LOOK_MS)
  }
}

async function settle(row: ExperimentRow, pair: PairRow, summary: RecordingSummary | undefined): Promise<PairResult> {
  const revision = await revisionThroughout(row, pair)
  const result = { ...(summary ? await resultOf(summary) : EXPIRED), revision }
  await notePair(row.id, pair, { state: 'ended', result })
  return result
}

/** The revision that served at the start of a run that has ended, if it still serves: another one may finish runs of the first. */
async function revisionThroughout({ workspace, subjects }: ExperimentRow, pair: PairRow): Promise<string | null> {
  const { deployment } = subjects[pair.subject] ?? {}
  if (pair.revision === null || deployment === undefined) return null
  const serving = await servingRevision(reader, workspace, deployment).catch(() => null)
  return serving === pair.revision ? serving : null
}

async function addTraced({ workspace, id }: ExperimentRow, pair: PairRow, result: PairResult): Promise<void> {
  if (!result.run) return
  const told = await tracedOf(workspace, result.run)
  if (told.isTraced || told.cost !== null) await notePair(id, pair, { state: 'ended', result: { ...result, ...told } })
}

/** An experiment as pages show it. Runs that ended while no instance followed them get their results now. */
export async function readExperiment(actor: Actor, place: Place): Promise<Experiment> {
  const { row, pairs } = await findExperiment(actor, place)
  const isRunning = row.runningUntil !== null && row.runningUntil.getTime() > Date.now()
  const answered = await answeredAmong(place.workspace, pairs)
  const shown = await mapConcurrent(pairs, async (pair): Promise<Pair> => {
    const { subject, input, recording, error, note, ratedBy } = pair
    let { state, result } = pair
    if (state === 'running' && !isRunning) {
      const summary = recording === null ? undefined : await recordingOf(place.workspace, recording)
      if (recording === null) state = 'waiting'
      else if (!summary || summary.phase === 'ended') {
        result = await settle(row, pair, summary)
        state = 'ended'
      }
    }
    if (result?.run && answered.has(result.run)) result = { ...result, outcome: 'continued' }
    const thumb = pair.thumb === 1 || pair.thumb === -1 ? pair.thumb : null
    const checks = result && isTold(result) ? row.checks.map((check) => evaluate(check, result)) : []
    return { subject, input, state, recording, result, error, thumb, note, ratedBy, checks }
  })
  const { id, name, createdBy, createdAt, subjects, inputs, checks, stoppedAt } = row
  return {
    ...{ id, name, createdBy, subjects, inputs, checks, isRunning, pairs: shown },
    createdAt: createdAt.toISOString(),
    isStopped: stoppedAt !== null,
  }
}

/** The runs that asked and whose threads have gone on since, which their stored results do not know. */
async function answeredAmong(workspace: string, pairs: readonly PairRow[]): Promise<ReadonlySet<string | null>> {
  const runs = pairs.flatMap(({ result }) => (result?.run && result.outcome === 'waiting' ? [result.run] : []))
  if (runs.length === 0) return new Set()
  const rows = await recordedRows(reader, workspace, { runs }, { after: undefined, limit: runs.length })
  return new Set(rows.flatMap(({ run, status }) => (status === 'continued' ? [run] : [])))
}

/** Undefined if it has expired. */
const recordingOf = async (workspace: string, recording: string): Promise<RecordingSummary | undefined> =>
  await readRecording(reader, { workspace, recording }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  })

/** Without the states, which are for checks and may be large. */
export async function shownExperiment(actor: Actor, place: Place): Promise<Experiment> {
  const { pairs, ...rest } = await readExperiment(actor, place)
  return { ...rest, pairs: pairs.map((pair) => ({ ...pair, result: pair.result && { ...pair.result, values: null } })) }
}

/** Serves `GET /api/experiments/{workspace}/{experiment}`. */
export const serveExperiment = (request: Request, place: Place): Promise<Response> =>
  serveRead(request, (_, { actor }) => shownExperiment(actor, place))
