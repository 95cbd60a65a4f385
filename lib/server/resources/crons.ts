import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Cron, CronCreate, CronPatch } from '@/lib/contracts/agents/crons'
import type { CronPlace } from '@/lib/contracts/wire/places'
import { holdsRedacted } from '@/lib/contracts/wire/redact'
import { AppError } from '@/lib/errors'
import { isSameJson } from '@/lib/json/difference'
import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import type { RecordingSummary } from '@/lib/stream/log'
import type { Actor } from '../access/actor'
import { isOpen } from '../edits/ambiguous-write'
import { safeWrite } from '../edits/safe-write'
import { type RunBody, startRecording } from '../recorder/start'
import { call } from '../upstream/call'
import { authorize } from '../upstream/call-context'

const inputOf = ({ workspace, deploymentId, cron }: CronPlace) => ({
  workspace,
  deploymentId,
  params: { cron_id: cron },
})

type NewCronPlace = { workspace: string; deploymentId: string; thread: string | undefined }
/** `cron` is undefined if it was created and cannot be found. `hasRun`: the server started a run of it at once. */
export type NewCron = { cron: string | undefined; hasRun: boolean }

/** Creates a cron that runs on `thread`, or on a new thread for each firing. */
export async function createCron(place: NewCronPlace, body: CronCreate, actor: Actor): Promise<NewCron> {
  const { workspace, deploymentId, thread } = place
  const at = { workspace, deploymentId, body }
  try {
    const created = thread
      ? await call(agentServer.createThreadCron, { ...at, params: { thread_id: thread } }, { actor })
      : await call(agentServer.createCron, at, { actor })
    if (created.cron_id !== undefined) return { cron: created.cron_id, hasRun: false }
    return { cron: await cronOfRun(place, body, created.created_at, actor).catch(() => undefined), hasRun: true }
  } catch (error) {
    if (!isOpen(error)) throw error
    // No automatic retry: a second cron would fire alongside the first forever.
    const { code, message: _, ...view } = error.view
    throw new AppError(
      code,
      `${error.message} It is unknown whether the cron was created: check the list before you try again.`,
      { ...view, cause: error },
    )
  }
}

/** How long before its first run a cron may have been created, by the clock of the server. */
const CREATED_MS = 10_000

/** The cron whose creation was answered with its first run. Undefined if two could be meant. */
async function cronOfRun(
  { workspace, deploymentId, thread }: NewCronPlace,
  body: CronCreate,
  ranAt: string | null | undefined,
  actor: Actor,
): Promise<string | undefined> {
  const newest = { limit: 20, sort_by: 'created_at', sort_order: 'desc' } as const
  const crons = await call(agentServer.searchCrons, { workspace, deploymentId, body: newest }, { actor })
  const [found, ...others] = crons.filter(
    (one) =>
      one.schedule === body.schedule &&
      (one.thread_id ?? undefined) === thread &&
      isSameJson(one.payload?.input ?? null, body.input ?? null) &&
      Math.abs(Date.parse(ranAt ?? '') - Date.parse(one.created_at ?? '')) < CREATED_MS,
  )
  return others.length === 0 ? found?.cron_id : undefined
}

/** Changes fields of a cron. Throws AppError conflict if its `updated_at` is no longer `expectedUpdatedAt`. */
export async function updateCron(
  place: CronPlace,
  { key, expectedUpdatedAt, patch }: { key: string; expectedUpdatedAt: string | null; patch: CronPatch },
  actor: Actor,
): Promise<Cron> {
  const input = { ...inputOf(place), body: patch }
  return await safeWrite<Cron | undefined, Cron>({
    operation: agentServer.updateCron,
    place: input,
    actor,
    idempotency: { key, operation: 'updateCron', input: { place, expectedUpdatedAt, patch: printJson(patch) } },
    lock: ['cron', place.workspace, place.deploymentId, place.cron],
    assertValid: () => {
      if (holdsRedacted(patch))
        throw new AppError('invalid', 'Part of this is hidden from the console and cannot be saved. Remove it.')
    },
    // Older servers cannot read a single cron.
    read: () =>
      call(agentServer.getCron, inputOf(place), { actor }).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'unsupported') return undefined
        throw error
      }),
    check: (before) => {
      if (expectedUpdatedAt && before?.updated_at && before.updated_at !== expectedUpdatedAt)
        throw new AppError('conflict', 'Someone has changed this cron in the meantime. Nothing was saved.')
      return undefined
    },
    send: () => call(agentServer.updateCron, input, { actor }),
    isSame: (now, before) => now !== undefined && now.updated_at !== before?.updated_at && shows(now, patch),
    resultOf: (now) => now as Cron, // after `isSame`
  })
}

/** Whether the cron has what the patch says, as far as the server shows those fields. */
function shows(cron: Cron, patch: CronPatch): boolean {
  const fields: Record<string, unknown> = cron
  return Object.entries(patch).every(([name, value]) => !Object.hasOwn(fields, name) || isSameJson(fields[name], value))
}

export async function deleteCron(place: CronPlace, actor: Actor): Promise<void> {
  try {
    await call(agentServer.deleteCron, inputOf(place), { actor })
  } catch (error) {
    // Already gone counts as deleted.
    if (!(error instanceof AppError) || error.view.upstreamStatus !== 404) throw error
  }
}

/** Runs now, as a recorded run, what a firing would run. A cron without a thread runs on a new thread that is kept. */
export async function runCron(place: CronPlace, key: string, actor: Actor): Promise<RecordingSummary> {
  const { workspace, deploymentId } = place
  await authorize(agentServer.createRunStream, { workspace, deploymentId, params: { thread_id: 'new' } }, actor)
  const cron = await call(agentServer.getCron, inputOf(place), { actor })
  const { on_completion: _, ...request } = cron.payload ?? {}
  const payload = withoutEchoes(request)
  const assistant = cron.assistant_id ?? payload.assistant_id
  if (typeof assistant !== 'string') throw new AppError('invalid', 'It is unknown which assistant this cron runs.')
  if (holdsRedacted(payload))
    throw new AppError(
      'invalid',
      "Part of this cron's request is hidden from the console, so it cannot be run manually.",
    )
  const body: RunBody = {
    ...payload,
    assistant_id: assistant,
    metadata: { ...cron.metadata, cron_id: cron.cron_id },
  }
  return await startRecording({
    actor,
    workspace,
    deploymentId,
    thread: cron.thread_id ? { kind: 'existing', id: cron.thread_id } : { kind: 'new' },
    body,
    key,
  })
}

/** Drops redacted values: servers store the creator's request headers in a cron, and a run does not need them. */
function withoutEchoes(request: Record<string, unknown>): Record<string, unknown> {
  const { config } = request
  if (!isRecord(config) || !isRecord(config.configurable)) return request
  const own = Object.entries(config.configurable).filter(([, value]) => !holdsRedacted(value))
  return { ...request, config: { ...config, configurable: Object.fromEntries(own) } }
}
