import type { Change } from '@/lib/contracts/deployments/changes'
import type { Revision } from '@/lib/contracts/deployments/revisions'

/** What created a revision. `note` says how that is known. */
export type Trigger =
  | { kind: 'person'; who: string; what: string; note: string }
  | { kind: 'push'; note: string }
  | { kind: 'unknown'; note: string }

type Subject = {
  revision: Pick<Revision, 'id' | 'created_at' | 'source' | 'source_revision_config'>
  /** The revision before it; null for the first one, undefined if unknown. */
  previous: Pick<Revision, 'source_revision_config'> | null | undefined
  deployment: { source_config?: { build_on_push?: boolean | null } | null; created_at: string }
  changes: readonly Change[]
}

/** Covers clock differences between console and server, and the time of a write without a response. */
const SLACK_MS = 3_000
const OPEN_MS = 60_000

const WORDS: Partial<Record<Change['operation'], string>> = {
  createDeployment: 'created the deployment',
  updateDeployment: 'changed the deployment',
  createRevision: 'created a revision',
}

/**
 * Who or what created a revision. The record does not say, so this matches it with writes from this console at that time;
 * with no match, or matches from several people, it stays unknown.
 */
export function triggerOf({ revision, previous, deployment, changes }: Subject): Trigger {
  const made = Date.parse(revision.created_at)
  const fits = changes.filter(({ operation, at, until, isDone }) => {
    if (!WORDS[operation] || (until !== null && !isDone)) return false
    if (operation === 'createDeployment' && Math.abs(Date.parse(deployment.created_at) - made) > SLACK_MS) return false
    const end = until === null ? Date.parse(at) + OPEN_MS : Date.parse(until) + SLACK_MS
    return made >= Date.parse(at) - SLACK_MS && made <= end
  })
  const [found] = fits
  if (found && fits.every(({ who }) => who === found.who))
    return {
      kind: 'person',
      who: found.who,
      what: WORDS[found.operation] ?? '',
      note: `${found.who} ${WORDS[found.operation]} from this console at that time (audit entry ${found.seq}).`,
    }
  if (found) return { kind: 'unknown', note: 'Several people changed the deployment at that time.' }
  const commit = revision.source_revision_config.repo_commit_sha
  const before = previous?.source_revision_config.repo_commit_sha
  const isPush =
    revision.source === 'github' &&
    deployment.source_config?.build_on_push === true &&
    commit &&
    before &&
    commit !== before
  if (isPush)
    return {
      kind: 'push',
      note: 'Build on push is on, the commit is new, and no one created it from this console.',
    }
  return {
    kind: 'unknown',
    note: 'It was not created from this console, and the server does not report who created it.',
  }
}
