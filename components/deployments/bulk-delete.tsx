'use client'
import { BulkDialog } from '@/components/shared/list/bulk-dialog'
import type { Selected } from '@/components/shared/list/use-selection'
import type { Tone } from '@/components/ui/badge'
import { deleteDeployments } from '@/lib/actions/bulk'
import type { BulkResult } from '@/lib/contracts/wire/bulk'
import { count } from '@/lib/format/format'

type BulkDeleteProps = {
  workspace: string
  selected: readonly Selected[]
  /** Ids of deployments that are deleted or being deleted. */
  onDone: (gone: string[]) => void
  onClose: () => void
}

const OUTCOMES: Record<BulkResult['outcome'], [Tone, string]> = {
  deleted: ['ok', 'Deleted'],
  deleting: ['ok', 'Deleting'],
  failed: ['error', 'Not deleted'],
  unknown: ['unknown', 'Unknown'],
}
const isGone = ({ outcome }: BulkResult) => outcome === 'deleted' || outcome === 'deleting'

/** Deletes several deployments after a typed confirmation, and shows the outcome of each. */
export const BulkDelete = ({ workspace, selected, onDone, onClose }: BulkDeleteProps) => (
  <BulkDialog<BulkResult>
    verb={`Delete ${count(selected.length)} ${selected.length === 1 ? 'deployment' : 'deployments'}`}
    means="Their threads, runs and secrets are deleted. Their tracing projects are kept. This cannot be undone."
    subjects={selected}
    isTyped
    outcomes={OUTCOMES}
    summary={(results) => {
      const gone = results.filter(isGone).length
      return gone === results.length ? `${count(gone)} deleted` : `${count(gone)} of ${count(results.length)} deleted`
    }}
    send={(request) => deleteDeployments({ workspace, ...request })}
    onResults={(results) => onDone(results.filter(isGone).map(({ id }) => id))}
    onClose={onClose}
  />
)
