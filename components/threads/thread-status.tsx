import { StatusBadge, type Tone } from '@/components/ui/badge'
import { entryOf } from '@/lib/json/guards'

const STATUSES: Record<string, { tone: Tone; label: string; detail: string }> = {
  idle: { tone: 'neutral', label: 'Idle', detail: 'No run in progress.' },
  busy: { tone: 'progress', label: 'Busy', detail: 'A run is running or queued.' },
  interrupted: {
    tone: 'warn',
    label: 'Needs input',
    detail: 'The graph asked a question or stopped before a node.',
  },
  error: { tone: 'error', label: 'Failed', detail: 'Its last run failed.' },
}

/** A thread's status. An unknown one is shown as the server sent it. */
export function ThreadStatus({ status }: { status: string | null | undefined }) {
  const known = entryOf(STATUSES, status ?? '')
  return (
    <StatusBadge tone={known?.tone ?? 'unknown'} title={known?.detail}>
      {known?.label ?? status ?? 'Unknown'}
    </StatusBadge>
  )
}
