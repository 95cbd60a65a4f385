import { deploymentHealth, type Health, type HealthLevel, isRevisionInProgress } from '../wire/state'
import type { Deployment } from './deployments'
import { type FailingRuns, healthWithRuns, type RunsHealth } from './failing-runs'
import type { ListenerState } from './listeners'
import type { Revision } from './revisions'

/**
 * A revision in a list. `status` is null if it could not be read (in time). `at`: when it was created. `since`: when it took its
 * status, where the control plane keeps that.
 */
export type RevisionFacts = { id: string; status: string | null; at: string | null; since?: string }

/** One row of the deployments list: the shown fields of the record, joined with its two revisions. */
export type DeploymentRow = {
  id: string
  name: string
  status: string
  source: string
  type: string | null
  repo: string | null
  ref: string | null
  commit: string | null
  image: string | null
  url: string | null
  imageVersion: string | null
  /** Names only. */
  secrets: string[]
  /** Null where the control plane says nothing about it. */
  listener: ListenerState | null
  latest: RevisionFacts | null
  active: RevisionFacts | null
  /** Its runs, if they fail. Null: they do not, or it cannot be known. Undefined: they are still being read. */
  failing: FailingRuns | null | undefined
  createdAt: string
  updatedAt: string
}

export type DeploymentRowsPage = {
  rows: DeploymentRow[]
  /** Current offset of the first row. */
  offset: number
  hasNext: boolean
  /** The rows that the page followed are gone: rows may have been skipped, or appear again. */
  isLost: boolean
  /** The order of the rows. `health` puts failing ones first; `created` is the control plane's own, newest first. */
  sort: RowSort
  /** The health of all deployments, whatever the filters. Null if it could not be read in time. */
  health: FleetHealth | null
}

/** Orders of the list, each in one direction. Control planes know `created` only. */
export const ROW_SORTS = ['health', 'created', 'name', 'updated'] as const
export type RowSort = (typeof ROW_SORTS)[number]

/** The deployments whose health is counted; further ones are not read. */
export const MOST_COUNTED = 1_000

/** The kinds of health that users filter by. */
export const HEALTH_GROUPS = ['ok', 'failing', 'progress', 'unknown'] as const
export type HealthGroup = (typeof HEALTH_GROUPS)[number]
/** `isCut`: there are more deployments than were read. */
export type FleetHealth = { counts: Record<HealthGroup, number>; isCut: boolean }

/** What a list needs of a revision. */
export type RevisionState = Pick<Revision, 'status' | 'created_at'> & { since?: string }

export function revisionState({
  status,
  created_at,
  status_history,
}: Pick<Revision, 'status' | 'created_at' | 'status_history'>): RevisionState {
  const since = status_history?.findLast((one) => one.status === status)?.at
  return { status, created_at, ...(since && { since }) }
}

type Revisions = (id: string) => RevisionState | undefined
/** The deployments whose runs fail now, by id. */
export type FailingDeployments = ReadonlyMap<string, FailingRuns>

export function rowOf(one: Deployment, revision: Revisions, failing?: FailingDeployments | undefined): DeploymentRow {
  const { source_config: source, source_revision_config: config } = one
  const facts = (id: string | null | undefined): RevisionFacts | null => {
    if (!id) return null
    const found = revision(id)
    return {
      id,
      status: found?.status ?? null,
      at: found?.created_at ?? null,
      ...(found?.since && { since: found.since }),
    }
  }
  return {
    id: one.id,
    name: one.name,
    status: one.status,
    source: one.source,
    type: source.deployment_type ?? null,
    repo: source.repo_url ?? null,
    ref: config.repo_ref ?? null,
    commit: config.repo_commit_sha ?? null,
    image: config.image_uri ?? null,
    url: source.custom_url ?? null,
    imageVersion: one.image_version ?? null,
    secrets: one.secrets.map(({ name }) => name),
    listener: one.listener ?? null,
    latest: facts(one.latest_revision_id),
    active: facts(one.active_revision_id),
    failing: failing && (failing.get(one.id) ?? null),
    createdAt: one.created_at,
    updatedAt: one.updated_at,
  }
}

type Revised = {
  status: string
  source?: string | undefined
  latest: Pick<RevisionFacts, 'id' | 'status'> | null
  active: { id: string } | null
  listener?: ListenerState | null
  failing?: FailingRuns | null | undefined
}

/** A row's health. Unknown if the latest revision is not the active one and could not be read, or while its runs are being read. */
export function rowHealth({ status, source, latest, active, listener, failing }: Revised): RunsHealth {
  if (latest && latest.id !== active?.id && latest.status === null && !status.startsWith('AWAITING') && !listener?.away)
    return healthWithRuns(UNREAD, failing)
  const deployment = { status, source, listener, latest_revision_id: latest?.id, active_revision_id: active?.id }
  const health = deploymentHealth({ deployment, latestRevisionStatus: latest?.status })
  return health.level === 'ok' && failing === undefined ? UNREAD_RUNS : healthWithRuns(health, failing)
}

const UNREAD: Health = {
  level: 'unknown',
  label: 'Unknown',
  detail: 'Its latest revision could not be read. The console keeps trying.',
}

const UNREAD_RUNS: Health = { level: 'unknown', label: 'Unknown', detail: 'Its runs are still being read.' }

/** A failed update counts as failing although an earlier revision serves. */
export function healthGroup(row: Revised): HealthGroup {
  const { level } = rowHealth(row)
  return level === 'error' || level === 'warn' ? 'failing' : level
}

/** Whether something is in progress, so that it should be polled often. A failed update is not. */
export function isRowMoving({ status, latest, active, failing }: Revised): boolean {
  if (status.startsWith('AWAITING') || failing === undefined) return true
  if (!latest) return false
  if (latest.status !== null && isRevisionInProgress(latest.status)) return true
  return latest.id !== active?.id && latest.status === null
}

const URGENCY: readonly HealthLevel[] = ['error', 'warn', 'unknown', 'progress', 'ok']
const COMPARE: Record<Exclude<RowSort, 'created'>, (a: DeploymentRow, b: DeploymentRow) => number> = {
  health: (a, b) => URGENCY.indexOf(rowHealth(a).level) - URGENCY.indexOf(rowHealth(b).level),
  name: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }),
  updated: (a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt),
}

/** Rows in another order; equal ones stay as they are. */
export const sortRows = (rows: readonly DeploymentRow[], sort: RowSort): DeploymentRow[] =>
  sort === 'created' ? [...rows] : rows.toSorted(COMPARE[sort])
