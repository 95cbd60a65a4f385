import { StatusBadge, type Tone } from '@/components/ui/badge'
import { STATUS_LABELS } from './list-query'

const TONES: Record<string, Tone> = { success: 'ok', error: 'error', pending: 'progress' }

/** A logged run's state; one that nobody here knows is shown as it came. */
export const RunStatus = ({ status, title }: { status: string; title?: string }) => (
  <StatusBadge tone={TONES[status] ?? 'unknown'} title={title}>
    {STATUS_LABELS[status] ?? status}
  </StatusBadge>
)
