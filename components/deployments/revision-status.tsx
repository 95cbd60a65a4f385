import { StatusBadge, type Tone } from '@/components/ui/badge'
import { isRevisionFailed, isRevisionInProgress, isRevisionTerminal, revisionLabel } from '@/lib/contracts/wire/state'

function toneOf(status: string): Tone {
  if (status === 'DEPLOYED') return 'ok'
  if (isRevisionInProgress(status)) return 'progress'
  if (isRevisionFailed(status)) return 'error'
  return isRevisionTerminal(status) ? 'neutral' : 'unknown'
}

/** A revision's status. An unknown one is shown as the server sent it. */
export const RevisionStatus = ({ status }: { status: string }) => (
  <StatusBadge tone={toneOf(status)} title={status}>
    {revisionLabel(status)}
  </StatusBadge>
)
