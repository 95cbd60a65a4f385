import { LateNotice } from '@/components/shared/feedback/late-notice'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import {
  type FleetHealth,
  HEALTH_GROUPS,
  type HealthGroup,
  MOST_COUNTED,
} from '@/lib/contracts/deployments/deployment-row'
import { count } from '@/lib/format/format'
import { HEALTH_LABELS } from './list-query'

const TONES: Record<HealthGroup, Tone> = { ok: 'ok', failing: 'error', progress: 'progress', unknown: 'unknown' }

type Props = {
  health: FleetHealth
  /** The group that the list shows only. */
  chosen: string | null
  onChoose: (group: HealthGroup | '') => void
  className?: string
}

/** How many deployments are healthy, failing and so on. Each number filters the list. */
export const HealthStrip = ({ health: { counts, isCut }, chosen, onChoose, className }: Props) => (
  <fieldset aria-label="Health" className={cn('mb-3 flex flex-wrap items-center gap-2', className)}>
    {HEALTH_GROUPS.map((group) => (
      <button
        key={group}
        type="button"
        aria-pressed={chosen === group}
        onClick={() => onChoose(chosen === group ? '' : group)}
        className="rounded-md border border-line-strong bg-panel px-2.5 py-1 hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft"
      >
        <StatusBadge tone={counts[group] > 0 ? TONES[group] : 'unknown'}>
          {count(counts[group])} {HEALTH_LABELS[group]}
        </StatusBadge>
      </button>
    ))}
    <span className="text-ink-3 text-xs">
      {isCut ? '' : `${count(HEALTH_GROUPS.reduce((sum, group) => sum + counts[group], 0))} in total`}
    </span>
    {isCut ? <span className="text-ink-3 text-xs">Of the first {count(MOST_COUNTED)} deployments</span> : null}
  </fieldset>
)

/** Keeps the strip's place until the numbers are known. */
export const HealthPending = () => (
  <div className="mb-3">
    <Skeleton className="h-8 w-96 max-w-full" />
    <LateNotice />
  </div>
)
