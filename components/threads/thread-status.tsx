import { StatusBadge } from '@/components/ui/badge'
import { threadStatus } from '@/lib/stream/run-status'

export function ThreadStatus({ status }: { status: string | null | undefined }) {
  const { tone, label, detail } = threadStatus(status)
  return (
    <StatusBadge tone={tone} title={detail}>
      {label}
    </StatusBadge>
  )
}
