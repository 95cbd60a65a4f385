import { isMoment } from '@/lib/format/moment'
import type { FilterDefinition } from './filters'

const problemOf = (text: string) =>
  isMoment(text) ? undefined : 'Enter 90m, 24h, 7d or 2w, or a date such as 2026-11-21 or 2026-11-21T14:00 (UTC).'
const hint = '24h, 7d, or a date (UTC)'

/** The filters of a list by time. */
export const timeFilters: readonly FilterDefinition<'since' | 'until'>[] = [
  {
    name: 'since',
    label: 'Since',
    choices: [
      { value: '1h', label: 'the last hour' },
      { value: '24h', label: 'the last 24 hours' },
      { value: '7d', label: 'the last 7 days' },
      { value: '30d', label: 'the last 30 days' },
    ],
    isOpen: true,
    hint,
    problemOf,
  },
  { name: 'until', label: 'Before', hint, problemOf },
]
