import { StatusBadge, type Tone } from '@/components/ui/badge'

const STATUSES: Record<string, { tone: Tone; label: string; detail: string }> = {
  idle: { tone: 'neutral', label: 'Idle', detail: 'Nothing is running on it.' },
  busy: { tone: 'progress', label: 'Busy', detail: 'A run is going on, or waits its turn.' },
  interrupted: {
    tone: 'warn',
    label: 'Waiting for a person',
    detail: 'The graph asked a question, or has nodes left to run.',
  },
  error: { tone: 'error', label: 'Failed', detail: 'Its last run failed.' },
}

/** A thread's state in a word; one that no table knows is shown as the server spells it. */
export function ThreadStatus({ status }: { status: string | null | undefined }) {
  const known = STATUSES[status ?? '']
  return (
    <StatusBadge tone={known?.tone ?? 'unknown'} title={known?.detail}>
      {known?.label ?? status ?? 'Unknown'}
    </StatusBadge>
  )
}
