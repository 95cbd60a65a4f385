import { memo } from 'react'
import { cn } from '@/lib/cn'
import { splitAt } from './log-search'
import type { LogRow } from './log-store'
import { momentOf } from './log-text'

export const LOG_ROW_HEIGHT = 20
/** Characters shown of an unwrapped line. Copy, download and wrap have all of it. */
const MAX_CHARS = 4_000
/** Characters shown of a wrapped line. Servers cut lines much earlier. */
const MAX_WRAPPED = 50_000

const TONES: Record<string, string> = { WARNING: 'text-warn', ERROR: 'text-error', CRITICAL: 'text-error' }
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

type Props = { row: LogRow; needle: string; isCurrent: boolean; isWrapped: boolean }

/** A log row: time (exact in the tooltip), level as the server sent it, text. */
export const LogRowView = memo(function LogRowView({
  row: { line, isFirst, text },
  needle,
  isCurrent,
  isWrapped,
}: Props) {
  const moment = isFirst ? momentOf(line.timestamp) : undefined
  const most = isWrapped ? MAX_WRAPPED : MAX_CHARS
  const shown = text.length > most ? `${text.slice(0, most)}… (${text.length - most} more characters)` : text
  return (
    <div
      className={cn(
        'flex min-w-full gap-3 px-3 font-mono text-xs leading-5',
        isWrapped ? 'w-full' : 'w-max',
        isCurrent ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <span
        className="hidden w-16 shrink-0 text-ink-3 tabular-nums sm:inline"
        title={moment ? moment.toISOString() : undefined}
      >
        {moment ? clock.format(moment) : isFirst ? String(line.timestamp ?? '') : ''}
      </span>
      <span className={cn('w-16 shrink-0 truncate', TONES[line.level ?? ''] ?? 'text-ink-3')}>
        {isFirst ? line.level : ''}
      </span>
      <span className={isWrapped ? 'min-w-0 flex-1 whitespace-pre-wrap break-all' : 'whitespace-pre'}>
        {needle === ''
          ? shown
          : splitAt(shown, needle).map((part, index) =>
              index % 2 === 1 ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other key
                <mark key={index} className="rounded-sm bg-warn-soft text-ink outline outline-warn/50">
                  {part}
                </mark>
              ) : (
                part
              ),
            )}
      </span>
    </div>
  )
})
