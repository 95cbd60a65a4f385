import type { Change } from '@/lib/contracts/deployments/changes'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { isEarlier } from './asked-verb'
import { type RollOut, rollOutOf } from './common/roll-out'
import { activeSpans, type Span, tookOf } from './common/times'
import { type Trigger, triggerOf } from './common/trigger'

/** A revision with the facts derived from its neighbours and the audit trail. */
export type RevisionRow = {
  revision: Revision
  isActive: boolean
  isLatest: boolean
  /** It was deployed before the active one, so it can be rolled back to. */
  isEarlier: boolean
  trigger: Trigger
  took: Span
  /** The last one; undefined if the server does not record statuses. */
  rollOut: RollOut | undefined
  served: Span | undefined
  listener: Deployment['listener']
}

type Page = {
  /** Newest first. */
  revisions: readonly Revision[]
  deployment: Deployment | undefined
  changes: readonly Change[]
  isWhole: boolean
  /** Records that could not be read are missing, so that a row's neighbour may not be its predecessor. */
  hasGaps?: boolean
  pageSize: number
  query: { status?: string }
}

/** The rows of a page: the records plus what follows from their neighbours and our audit trail. */
export function rowsOf({ revisions, deployment, changes, isWhole, hasGaps, pageSize, query }: Page): RevisionRow[] {
  const active = deployment?.active_revision_id ?? null
  const served = activeSpans({ revisions, active, isWhole })
  return revisions.map((revision, index) => {
    // Nothing follows the last row of a page that is not full. With a filter the next row is not the previous revision.
    const isFirstOfAll = index === revisions.length - 1 && revisions.length < pageSize
    const previous = query.status || hasGaps ? undefined : (revisions[index + 1] ?? (isFirstOfAll ? null : undefined))
    return {
      revision,
      isActive: revision.id === active,
      isLatest: revision.id === deployment?.latest_revision_id,
      isEarlier: deployment !== undefined && isEarlier(revision, deployment, revisions),
      trigger: triggerOf({
        revision,
        previous,
        deployment: { source_config: deployment?.source_config, created_at: deployment?.created_at ?? '' },
        changes,
      }),
      took: tookOf(revision, changes),
      rollOut: rollOutOf(revision),
      served: served.get(revision.id),
      listener: deployment?.listener,
    }
  })
}
