import { StatusBadge, type Tone } from '@/components/ui/badge'
import { isRevisionFailed, isRevisionInProgress } from '@/lib/contracts/state'

const LABELS: Record<string, string> = {
  CREATING: 'Creating',
  QUEUED: 'Queued',
  AWAITING_BUILD: 'Waiting to build',
  BUILDING: 'Building',
  AWAITING_DEPLOY: 'Waiting to roll out',
  DEPLOYING: 'Rolling out',
  DEPLOYED: 'Deployed',
  CREATE_FAILED: 'Create failed',
  BUILD_FAILED: 'Build failed',
  DEPLOY_FAILED: 'Roll-out failed',
  SKIPPED: 'Skipped',
  INTERRUPTED: 'Interrupted',
}

function toneOf(status: string): Tone {
  if (status === 'DEPLOYED') return 'ok'
  if (isRevisionInProgress(status)) return 'progress'
  if (isRevisionFailed(status)) return 'error'
  return Object.hasOwn(LABELS, status) ? 'neutral' : 'unknown'
}

/** A revision's status; one that nobody here knows is shown as it came. */
export const RevisionStatus = ({ status }: { status: string }) => (
  <StatusBadge tone={toneOf(status)} title={status}>
    {LABELS[status] ?? status}
  </StatusBadge>
)
