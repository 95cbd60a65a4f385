import type { HistoryRow } from '@/lib/contracts/agents/thread-edit'
import { shortId } from '@/lib/format/format'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** A checkpoint in a list of choices: its step, what wrote it and when. Its id only if its time is unknown. */
export const checkpointName = ({ id, step, source, by, at }: HistoryRow): string =>
  [
    `step ${step ?? '?'}`,
    [source ?? 'unknown', by.length > 0 && `by ${by.join(', ')}`].filter(Boolean).join(' '),
    at ? clock.format(new Date(at)) : shortId(id),
  ].join(', ')
