import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { isRunInProgress, RUN_STATUSES_IN_PROGRESS } from '@/lib/contracts/wire/state'
import type { RecordingOutcome } from '@/lib/stream/log'
import { hasGoneOn, type ThreadNow } from '@/lib/stream/run-status'
import { systemActor } from '../access/actor'
import { untilAnswer } from '../process/answers'
import { mapConcurrent } from '../process/map-concurrent'
import { call } from '../upstream/call'

const DEADLINE_MS = 800
/** Cache times of an answer and of a failure. */
const KEPT = { answerMs: 2_500, failureMs: 15_000 }
const MOST_KEPT = 2_000
/** Threads of one search: servers refuse more than 1,000. */
const MOST_IDS = 500
/** Runs in progress of a busy thread, of each status: one that stopped at a question and another one. */
const MOST_ACTIVE = 2

type Row = {
  deployment: string
  thread: string | null
  run: string | null
  outcome: RecordingOutcome | null
  /** Ids of what it asked; null if unknown. */
  questions: readonly string[] | null
}
type Threads = ReadonlyMap<string, ThreadNow>
const kept = new Map<string, { until: number; threads: Promise<Threads>; isOver?: () => boolean }>()

/**
 * The rows with `continued` instead of `waiting` where the thread has gone on without a run that we recorded. Asks each
 * deployment once for 500 threads; a row whose server does not answer in time stays as recorded.
 */
export async function settleWaiting<T extends Row>(workspace: string, rows: readonly T[]): Promise<T[]> {
  const threads = new Map<string, Set<string>>()
  for (const { deployment, thread, outcome } of rows)
    if (outcome === 'waiting' && thread)
      threads.set(deployment, (threads.get(deployment) ?? new Set<string>()).add(thread))
  const asked = [...threads].flatMap(([deployment, set]) => {
    const ids = [...set].sort()
    return Array.from({ length: Math.ceil(ids.length / MOST_IDS) }, async (_, part) => {
      const some = ids.slice(part * MOST_IDS, (part + 1) * MOST_IDS)
      return [deployment, await threadsOf({ workspace, deploymentId: deployment }, some)] as const
    })
  })
  const found = new Map<string, Map<string, ThreadNow>>()
  for (const [deployment, threads] of await Promise.all(asked))
    found.set(deployment, new Map([...(found.get(deployment) ?? []), ...threads]))
  return rows.map((row) => {
    const thread = row.outcome === 'waiting' && row.thread ? found.get(row.deployment)?.get(row.thread) : undefined
    return thread && hasGoneOn({ run: row.run, questions: row.questions ?? [] }, thread)
      ? { ...row, outcome: 'continued' }
      : row
  })
}

function threadsOf(place: DeploymentPlace, ids: string[]): Promise<Threads> {
  const key = JSON.stringify([place, ids])
  const known = kept.get(key)
  if (known && Date.now() < known.until && !known.isOver?.()) return known.threads
  const asked = readThreads(place, ids)
  const entry: NonNullable<typeof known> = {
    until: Date.now() + KEPT.answerMs,
    threads: Promise.resolve(new Map()),
  }
  entry.threads = asked.then(
    (list) => new Map(list),
    () => {
      entry.until = Date.now() + KEPT.failureMs
      entry.isOver = untilAnswer(place)
      return new Map()
    },
  )
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(key, entry)
  return entry.threads
}

async function readThreads(place: DeploymentPlace, ids: string[]): Promise<[string, ThreadNow][]> {
  const options = { actor: systemActor('runs'), signal: AbortSignal.timeout(DEADLINE_MS) }
  const search = { ids, limit: ids.length, select: ['thread_id', 'status', 'interrupts'] }
  const found = await call(agentServer.searchThreads, { ...place, body: search }, options)
  const activeOn = async (thread_id: string) => {
    const lists = RUN_STATUSES_IN_PROGRESS.map((status) =>
      call(agentServer.listRuns, { ...place, params: { thread_id }, query: { status, limit: MOST_ACTIVE } }, options),
    )
    return (await Promise.all(lists)).flat().flatMap((run) => (isRunInProgress(run.status) ? run.run_id : []))
  }
  return await mapConcurrent(found, async ({ thread_id, status, interrupts }) => {
    const active = status === 'busy' ? await activeOn(thread_id).catch(() => undefined) : undefined
    return [thread_id, { status, interrupts, active }]
  })
}
