import { StatusBadge, type Tone } from '@/components/ui/badge'
import {
  awaitedOf,
  isRevisionFailed,
  isRevisionInProgress,
  isRevisionTerminal,
  type Listener,
  revisionLabel,
} from '@/lib/contracts/wire/state'

function toneOf(status: string): Tone {
  if (status === 'DEPLOYED') return 'ok'
  if (isRevisionInProgress(status)) return 'progress'
  if (isRevisionFailed(status)) return 'error'
  return isRevisionTerminal(status) ? 'neutral' : 'unknown'
}

type Props = { status: string; listener?: Listener | null | undefined }

/** A revision's status, or that it waits for a listener that is away. An unknown one is shown as the server sent it. */
export function RevisionStatus({ status, listener }: Props) {
  const awaited = awaitedOf(status, listener)
  return (
    <StatusBadge tone={awaited ? 'unknown' : toneOf(status)} title={status} className="max-w-full">
      <span className={awaited ? 'whitespace-normal' : 'truncate'}>
        {awaited ? `Waiting for ${awaited.subject}` : revisionLabel(status)}
      </span>
    </StatusBadge>
  )
}
