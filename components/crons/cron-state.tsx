import { StatusBadge } from '@/components/ui/badge'
import type { Cron } from '@/lib/contracts/agents/crons'

/** Whether a cron is active. A cron past its end has no next run. */
export const CronState = ({ cron }: { cron: Pick<Cron, 'enabled' | 'next_run_date'> }) =>
  cron.enabled === false ? (
    <StatusBadge tone="neutral">Disabled</StatusBadge>
  ) : cron.next_run_date === null ? (
    <StatusBadge tone="unknown" title="No next run: its end has passed, or its schedule never matches.">
      Over
    </StatusBadge>
  ) : (
    <StatusBadge tone="ok">Enabled</StatusBadge>
  )
