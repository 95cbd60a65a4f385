import { StatusBadge, type Tone } from '@/components/ui/badge'
import { STATUS_LABELS } from './list-query'

const TONES: Record<string, Tone> = { success: 'ok', error: 'error', pending: 'progress' }

/** The status of a logged run. An unknown one is shown as the server sent it. */
export const RunStatus = ({ status, title }: { status: string; title?: string }) => (
  <StatusBadge tone={TONES[status] ?? 'unknown'} title={title}>
    {STATUS_LABELS[status] ?? status}
  </StatusBadge>
)
