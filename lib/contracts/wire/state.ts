/**
 * What statuses mean and which actions they allow, as tables. Newer servers may send unknown statuses, which every
 * function here handles.
 */

import { isRecord } from '@/lib/json/guards'

/** A known word, or any other that a newer server may send. Keeps the known ones as completions. */
export type Open<Known extends string> = Known | (string & {})

export const DEPLOYMENT_STATUSES = ['AWAITING_DATABASE', 'READY', 'UNUSED', 'AWAITING_DELETE', 'UNKNOWN'] as const
export type DeploymentStatus = Open<(typeof DEPLOYMENT_STATUSES)[number]>

/** In the usual order of a revision. Polling may miss some, so nothing enforces it. */
export const REVISION_STATUSES_IN_PROGRESS = [
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
] as const
export const REVISION_STATUSES_FAILED = ['CREATE_FAILED', 'BUILD_FAILED', 'DEPLOY_FAILED'] as const
export const REVISION_STATUSES_TERMINAL = ['DEPLOYED', ...REVISION_STATUSES_FAILED, 'SKIPPED', 'INTERRUPTED'] as const
export const REVISION_STATUSES = [...REVISION_STATUSES_IN_PROGRESS, ...REVISION_STATUSES_TERMINAL, 'UNKNOWN'] as const
export type RevisionStatus = Open<(typeof REVISION_STATUSES)[number]>

export const RUN_STATUSES_IN_PROGRESS = ['pending', 'running'] as const
export const RUN_STATUSES = [...RUN_STATUSES_IN_PROGRESS, 'success', 'error', 'timeout', 'interrupted'] as const
export type RunStatus = Open<(typeof RUN_STATUSES)[number]>

export const THREAD_STATUSES = ['idle', 'busy', 'interrupted', 'error'] as const
export type ThreadStatus = Open<(typeof THREAD_STATUSES)[number]>

const has = (list: readonly string[], status: string) => list.includes(status)

/** Whether a revision is in progress. An unknown status is not, so it is polled slowly instead of quickly forever. */
export const isRevisionInProgress = (status: string): boolean => has(REVISION_STATUSES_IN_PROGRESS, status)
export const isRevisionTerminal = (status: string): boolean => has(REVISION_STATUSES_TERMINAL, status)
export const isRevisionFailed = (status: string): boolean => has(REVISION_STATUSES_FAILED, status)
export const isRunInProgress = (status: string): boolean => has(RUN_STATUSES_IN_PROGRESS, status)

export type HealthLevel = 'ok' | 'progress' | 'warn' | 'error' | 'unknown'
/** `since`: a time that `detail` contains, for pages that show times in their own way. */
export type Health = { level: HealthLevel; label: string; detail: string; since?: string }

/** What a control plane says about the listener of a deployment. `since`: null if it never connected. */
export type Listener = { name: string; away?: { who: 'listener' | 'cluster'; since: string | null } | null | undefined }

type HealthInput = {
  deployment: {
    status: string
    source?: string | undefined
    latest_revision_id?: string | null | undefined
    active_revision_id?: string | null | undefined
    listener?: Listener | null | undefined
  }
  /** Status of `latest_revision_id`; absent until it has been read. */
  latestRevisionStatus?: string | null
}

const STEP_LABELS: Record<string, string> = {
  CREATING: 'Creating',
  QUEUED: 'Queued',
  AWAITING_BUILD: 'Waiting to build',
  BUILDING: 'Building',
  AWAITING_DEPLOY: 'Waiting to roll out',
  DEPLOYING: 'Rolling out',
}
const FAILURES: Record<string, { label: string; where: string }> = {
  CREATE_FAILED: { label: 'Create failed', where: 'before its build began' },
  BUILD_FAILED: { label: 'Build failed', where: 'while building; the build log has the reason' },
  DEPLOY_FAILED: { label: 'Roll-out failed', where: 'while rolling out; the deploy log has the reason' },
}

/**
 * A deployment's health. Its own status only tells whether its resources exist, so it is combined with the latest
 * revision and the active one: a failed update of a serving deployment is a warning, not an outage.
 */
export function deploymentHealth({ deployment, latestRevisionStatus }: HealthInput): Health {
  const { status, latest_revision_id: latest, active_revision_id: active } = deployment
  const silence = latest || active ? silenceOf(deployment.listener) : undefined
  if (silence) return healthWithoutWord(silence, deployment, latestRevisionStatus)
  const serving = active ? 'An earlier revision keeps serving.' : 'Nothing is serving yet.'

  if (status === 'AWAITING_DELETE')
    return { level: 'progress', label: 'Deleting', detail: 'It was deleted; its resources are being removed.' }
  if (status === 'AWAITING_DATABASE')
    return {
      level: 'progress',
      label: 'Waiting for database',
      detail: 'Its database is being created. This can take minutes.',
    }
  if (!latest && !active && deployment.source === 'external')
    return {
      level: 'unknown',
      label: 'Attached',
      detail: 'It runs elsewhere, and this workspace has its address. Its System page shows whether it responds.',
    }
  if (!latest && !active)
    return { level: 'unknown', label: 'No revision', detail: 'It has no revision yet, so nothing is serving.' }
  if (latestRevisionStatus && isRevisionInProgress(latestRevisionStatus))
    return { level: 'progress', label: STEP_LABELS[latestRevisionStatus] ?? latestRevisionStatus, detail: serving }
  if (latestRevisionStatus && isRevisionFailed(latestRevisionStatus)) {
    const failure = FAILURES[latestRevisionStatus]
    const detail = `The latest revision failed ${failure?.where ?? ''}. ${serving}`
    return { level: active ? 'warn' : 'error', label: failure?.label ?? latestRevisionStatus, detail }
  }
  if (latestRevisionStatus === 'INTERRUPTED' || latestRevisionStatus === 'SKIPPED') {
    const isSkipped = latestRevisionStatus === 'SKIPPED'
    const detail = `The latest revision was ${isSkipped ? 'superseded by a newer one' : 'interrupted by a user'}. ${serving}`
    return { level: active ? 'warn' : 'error', label: isSkipped ? 'Skipped' : 'Interrupted', detail }
  }
  if (status === 'UNUSED') return { level: 'unknown', label: 'Unused', detail: 'The platform marks it as unused.' }
  // Without the latest revision's status, it counts as deployed if it is the active one.
  const isDeployed = latestRevisionStatus === 'DEPLOYED' || (!latestRevisionStatus && !!active && active === latest)
  // A roll-back stays like this; a server that is about to switch to the latest does so for a moment only.
  const isEarlier = active && active !== latest
  if (isDeployed && status === 'READY')
    return {
      level: 'ok',
      label: 'Healthy',
      detail: isEarlier
        ? 'An earlier revision serves, as after a roll-back. The latest one was rolled out too.'
        : 'The latest revision is rolled out and serving.',
    }
  if (isDeployed)
    return {
      level: 'unknown',
      label: words(status),
      detail: `The latest revision is rolled out; the deployment says ${status}.`,
    }
  return {
    level: 'unknown',
    label: words(latestRevisionStatus ?? status),
    detail: active ? 'A revision is serving; the state of the latest one is unknown.' : 'Its state is unknown.',
  }
}

type Silence = { text: string; since?: string }

/** What has not been heard of, in a sentence; undefined where nothing is away. */
function silenceOf(listener: Listener | null | undefined): Silence | undefined {
  if (!listener?.away) return undefined
  const { since } = listener.away
  if (since === null) return { text: `The listener ${listener.name} has never connected.` }
  return { text: `No word from ${subjectOf(listener)} since ${since}.`, since }
}

const subjectOf = ({ name, away }: Listener) =>
  away?.who === 'cluster' ? `the cluster of the listener ${name}` : `the listener ${name}`

const BUILD_STATUSES: readonly string[] = ['AWAITING_BUILD', 'BUILDING']

/** Who is away that a revision in this status waits for; undefined if it is moving. Builds need no listener. */
export const awaitedOf = (
  status: string,
  listener: Listener | null | undefined,
): { subject: string; since: string | null } | undefined =>
  listener?.away && isRevisionInProgress(status) && !BUILD_STATUSES.includes(status)
    ? { subject: subjectOf(listener), since: listener.away.since }
    : undefined

/** Statuses end with the last word from the cluster. What was decided before, such as a failure or a delete, stays true. */
function healthWithoutWord(
  { text, since }: Silence,
  { status, latest_revision_id: latest, active_revision_id: active }: HealthInput['deployment'],
  latestRevisionStatus: string | null | undefined,
): Health {
  const rest = { ...(since !== undefined && { since }) }
  const failure = latest !== active && latestRevisionStatus ? FAILURES[latestRevisionStatus] : undefined
  if (status === 'AWAITING_DELETE')
    return { level: 'progress', label: 'Deleting', detail: `${text} What it has there is removed afterwards.`, ...rest }
  if (failure) {
    const detail = `The latest revision failed ${failure.where}. ${text}${active ? ' An earlier revision may serve.' : ''}`
    return { level: active ? 'warn' : 'error', label: failure.label, detail, ...rest }
  }
  const isWaiting = latestRevisionStatus && isRevisionInProgress(latestRevisionStatus)
  const after = isWaiting ? ' The roll-out waits for it.' : active ? ' Its agents may still serve.' : ''
  return { level: 'unknown', label: 'No word', detail: text + after, ...rest }
}

/** `SOME_STATUS` in words, for unknown statuses. */
const words = (status: string) => {
  const text = status.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const ENDS: Record<string, string> = {
  DEPLOYED: 'Deployed',
  CREATE_FAILED: 'Create failed',
  BUILD_FAILED: 'Build failed',
  DEPLOY_FAILED: 'Roll-out failed',
  SKIPPED: 'Skipped',
  INTERRUPTED: 'Interrupted',
}

/** A revision's status in words; an unknown one is returned unchanged. */
export const revisionLabel = (status: string): string => STEP_LABELS[status] ?? ENDS[status] ?? status

/** Whether an action is allowed, and if not, why. */
export type Allowed = { allowed: true } | { allowed: false; reason: string }
const yes: Allowed = { allowed: true }
const no = (reason: string): Allowed => ({ allowed: false, reason })

/**
 * Revision statuses in which each action is allowed. Anything that has ended can be redeployed: from its image if the
 * build finished, otherwise with another build.
 */
export const REVISION_VERBS = {
  redeploy: REVISION_STATUSES_TERMINAL,
  interrupt: REVISION_STATUSES_IN_PROGRESS,
} as const satisfies Record<string, readonly string[]>
export type RevisionVerb = keyof typeof REVISION_VERBS

const REVISION_REASONS: Record<RevisionVerb, (status: string) => string> = {
  redeploy: (status) =>
    isRevisionInProgress(status)
      ? 'It is still in progress. You can redeploy it when it has ended.'
      : 'Its state is unknown, so it may still be in progress.',
  interrupt: () => 'It has ended, so there is nothing to interrupt.',
}

export const mayRevision = (verb: RevisionVerb, status: string): Allowed =>
  has(REVISION_VERBS[verb], status) ? yes : no(REVISION_REASONS[verb](status))

/** Whether a deployment can be changed or deleted in its state. */
export function mayDeployment(verb: 'update' | 'delete' | 'forceDelete', status: string): Allowed {
  const isDeleting = status === 'AWAITING_DELETE'
  if (verb === 'forceDelete')
    return isDeleting ? yes : no('Only a deployment that is already being deleted can be forced.')
  return isDeleting ? no('It is being deleted.') : yes
}

/** Whether a run can be cancelled or deleted in its state. */
export function mayRun(verb: 'cancel' | 'delete', status: string): Allowed {
  // Deleting a run in progress kills the workers of some servers, so it must be cancelled first.
  if (verb === 'delete') return isRunInProgress(status) ? no('It is still in progress. Cancel it first.') : yes
  return isRunInProgress(status) ? yes : no('It has ended, so there is nothing to cancel.')
}

type Resting = {
  status?: ThreadStatus | null | undefined
  error?: unknown
  interrupts?: Record<string, readonly unknown[]> | null | undefined
}

/** Whether a thread has stopped without an open interrupt: at a breakpoint, or by a cancel. */
export const isStoppedThread = ({ status, interrupts }: Resting): boolean =>
  status === 'interrupted' && !Object.values(interrupts ?? {}).some((list) => list.length > 0)

/** A thread's status. Python servers call a thread interrupted after a cancel, too; others, and we, call it idle. */
export function restingStatus(thread: Resting): ThreadStatus | null | undefined {
  const { error } = thread
  const wasCancelled = isRecord(error) && (error.error === 'UserInterrupt' || error.error === 'UserRollback')
  return wasCancelled && isStoppedThread(thread) ? 'idle' : thread.status
}
