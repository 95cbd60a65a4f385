'use client'

import { CircleStop } from 'lucide-react'
import { useReasons } from '@/components/shared/rights'
import { Button } from '@/components/ui/button'
import { Menu, MenuItem } from '@/components/ui/menu'
import { cancelRun } from '@/lib/actions/runs'
import type { ErrorView } from '@/lib/errors'
import type { RecordingSummary } from '@/lib/stream/log'

type Props = {
  summary: RecordingSummary
  isCancelling: boolean
  onCancelling: () => void
  onFailed: (error: ErrorView) => void
}

/** Stops the run on the server, not just the page's view of it. That it has stopped is said when the server says so. */
export function CancelMenu({ summary, isCancelling, onCancelling, onFailed }: Props) {
  const { run: reason } = useReasons()
  const cancel = async (action: 'interrupt' | 'rollback') => {
    onCancelling()
    const settled = await cancelRun({ workspace: summary.workspace, recording: summary.id, action })
    if (!settled.ok) onFailed(settled.error)
  }
  const label = isCancelling ? 'Cancelling…' : 'Cancel'
  if (reason || isCancelling)
    return (
      <Button variant="danger" reason={reason} isBusy={isCancelling}>
        {label}
      </Button>
    )
  return (
    <Menu
      label="How to cancel"
      trigger={
        <Button variant="danger">
          <CircleStop aria-hidden />
          {label}
        </Button>
      }
    >
      <MenuItem onSelect={() => void cancel('interrupt')}>
        <Choice title="Interrupt" hint="Stop it; what it did so far stays in the thread." />
      </MenuItem>
      {summary.isStateless ? null : (
        <MenuItem tone="danger" onSelect={() => void cancel('rollback')}>
          <Choice title="Roll back" hint="Stop it and remove everything it did." />
        </MenuItem>
      )}
    </Menu>
  )
}

const Choice = ({ title, hint }: { title: string; hint: string }) => (
  <span>
    <span className="block font-medium">{title}</span>
    <span className="block text-ink-3 text-xs">{hint}</span>
  </span>
)
