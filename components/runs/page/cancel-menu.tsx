'use client'

import { CircleStop } from 'lucide-react'
import { lazy } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import { cancelRun } from '@/lib/actions/runs'
import type { ErrorView } from '@/lib/errors'
import type { RecordingSummary } from '@/lib/stream/log'

const load = () => import('./cancel-choices').then(({ CancelChoices }) => ({ default: CancelChoices }))
const CancelChoices = lazy(load)

type Props = {
  summary: RecordingSummary
  isCancelling: boolean
  onCancelling: () => void
  onFailed: (error: ErrorView) => void
}

/** Cancels the run on the server. It counts as cancelled once the server confirms it. */
export function CancelMenu({ summary, isCancelling, onCancelling, onFailed }: Props) {
  const { run: reason } = useReasons()
  const cancel = async (action: 'interrupt' | 'rollback') => {
    onCancelling()
    const result = await cancelRun({ workspace: summary.workspace, recording: summary.id, action })
    if (!result.ok) onFailed(result.error)
  }
  const label = isCancelling ? 'Cancelling…' : 'Cancel'
  if (reason || isCancelling)
    return (
      <Button size="sm" variant="danger" reason={reason} isBusy={isCancelling}>
        {label}
      </Button>
    )
  const trigger = (
    <Button size="sm" variant="danger">
      <CircleStop aria-hidden />
      {label}
    </Button>
  )
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <CancelChoices trigger={trigger} mayRollBack={!summary.isStateless} onChoose={(action) => void cancel(action)} />
    </MenuOnDemand>
  )
}
