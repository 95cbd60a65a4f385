import Link from 'next/link'
import { memo } from 'react'
import { cn } from '@/lib/cn'
import { shortId } from '@/lib/format/format'
import { routes } from '@/lib/routes'
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
const calendar = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })

/** `isOfAll`: lines of all revisions, which have dates and name their revision. */
export type LogColumns = { workspace: string; deploymentId: string; hasTimes: boolean; isOfAll: boolean }
type Props = { row: LogRow; columns: LogColumns; needle: string; isCurrent: boolean; isWrapped: boolean }

/** A log row: time (exact in the tooltip), level as the server sent it, text. */
export const LogRowView = memo(function LogRowView({
  row: { line, isFirst, text },
  columns: { workspace, deploymentId, hasTimes, isOfAll },
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
      {hasTimes ? (
        <span
          className={cn('w-16 shrink-0 whitespace-nowrap text-ink-3 tabular-nums', isOfAll && 'sm:w-32')}
          title={moment ? moment.toISOString() : undefined}
        >
          {moment && isOfAll ? <span className="hidden sm:inline">{calendar.format(moment)} </span> : null}
          {moment ? clock.format(moment) : isFirst ? String(line.timestamp ?? '') : ''}
        </span>
      ) : null}
      {isOfAll && line.revision_id ? (
        <span className="hidden w-16 shrink-0 text-ink-3 md:inline" title={`Revision ${line.revision_id}`}>
          {isFirst ? (
            <Link prefetch={false} href={routes.revision(workspace, deploymentId, line.revision_id)}>
              {shortId(line.revision_id)}
            </Link>
          ) : null}
        </span>
      ) : null}
      <span
        className={cn('w-2 shrink-0 overflow-hidden sm:w-16', TONES[line.level ?? ''] ?? 'text-ink-3')}
        title={line.level ?? undefined}
      >
        {isFirst ? line.level : ''}
      </span>
      {isFirst && line.run_id ? (
        <Link
          prefetch={false}
          href={routes.joinRun(workspace, deploymentId, undefined, line.run_id)}
          title={`Open run ${line.run_id}`}
          className="shrink-0 text-accent underline"
        >
          run {shortId(line.run_id)}
        </Link>
      ) : null}
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
