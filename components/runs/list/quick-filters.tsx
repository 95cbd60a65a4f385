'use client'
import type { List } from '@/components/shared/list/use-list'
import { Button } from '@/components/ui/button'

/** What people look for most, one click each. */
const QUICK = [
  { name: 'status', value: 'failed', label: 'Failed' },
  { name: 'status', value: 'active', label: 'Running' },
  { name: 'status', value: 'waiting', label: 'Needs input' },
  { name: 'since', value: '1h', label: 'Last hour' },
  { name: 'since', value: '24h', label: 'Last 24 h' },
  // Of older runs, a bar of the histogram is one click more.
  { name: 'since', value: '30d', label: 'Last 30 days' },
] as const

/** Filters that are set by one click and removed by a second one. Those of time replace a span that the chart has set. */
export const QuickFilters = ({ list }: { list: List }) => (
  <fieldset aria-label="Quick filters" className="mb-3 flex flex-wrap gap-1.5">
    {QUICK.map(({ name, value, label }) => {
      const isSet = list.search.get(name) === value
      return (
        <Button
          key={label}
          size="sm"
          aria-pressed={isSet}
          className={isSet ? 'border-accent bg-accent-soft text-accent' : 'text-ink-2'}
          onClick={() => list.set({ [name]: isSet ? '' : value, ...(name === 'since' && { until: '' }) })}
        >
          {label}
        </Button>
      )
    })}
  </fieldset>
)
