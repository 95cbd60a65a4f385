'use client'
import { useQuery } from '@tanstack/react-query'
import { GitFork } from 'lucide-react'
import { useEffect, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import type { HistoryRow } from '@/lib/contracts/agents/thread-edit'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { byteSize } from '@/lib/format/format'
import { lightHistoryQuery } from '@/lib/queries/threads'

const PAGE_SIZE = 20

type Props = {
  place: ThreadPlace
  ns: string
  chosen: string
  other: string | undefined
  /** Called with the rows read, for the comparison. */
  onRows: (rows: readonly HistoryRow[]) => void
  onChoose: (id: string) => void
}

/** Checkpoints, newest first, loaded page by page without their values, which may be large. */
export function CheckpointList(props: Props) {
  // The `before` cursor of each page, which is the last checkpoint of the previous page.
  const [pages, setPages] = useState<(string | undefined)[]>([undefined])
  return pages.map((before, index) => (
    <CheckpointPage
      key={before ?? 'newest'}
      {...props}
      before={before}
      onOlder={index === pages.length - 1 ? (last) => setPages([...pages, last]) : undefined}
    />
  ))
}

type PageProps = Props & { before: string | undefined; onOlder: ((last: string) => void) | undefined }

function CheckpointPage({ place, ns, before, onRows, onOlder, ...rest }: PageProps) {
  const { workspace, deploymentId, thread } = place
  const page = useQuery(
    lightHistoryQuery(workspace, deploymentId, thread, {
      limit: PAGE_SIZE,
      ...(before && { before }),
      ...(ns && { ns }),
    }),
  )
  const rows = page.data?.rows
  // Rows are read here, page by page, but compared in the parent.
  useEffect(() => {
    if (rows) onRows(rows)
  }, [rows, onRows])
  if (page.error?.code === 'unsupported' && !rows)
    return <p className="p-3 text-ink-3 text-xs">This server keeps no thread history.</p>
  if (page.error && !rows)
    return <ErrorNotice error={page.error.view} onRetry={() => void page.refetch()} className="m-2" />
  if (!rows) return <LateSkeleton className="m-3 h-40" />
  if (rows.length === 0)
    return <p className="p-3 text-ink-3 text-xs">{before ? 'No older checkpoints.' : 'No checkpoints yet.'}</p>
  return (
    <>
      <ul className="divide-y border-b">
        {rows.map((row, index) => (
          <li key={row.id}>
            <Row row={row} below={rows[index + 1]?.id} {...rest} />
          </li>
        ))}
      </ul>
      {onOlder && page.data?.last ? (
        <Button variant="ghost" size="sm" className="m-2" onClick={() => onOlder(page.data.last ?? '')}>
          Older checkpoints
        </Button>
      ) : onOlder ? (
        <p className="px-3 py-2 text-ink-3 text-xs">
          {rows.at(-1)?.parent ? 'Older checkpoints were removed.' : 'Start of history.'}
        </p>
      ) : null}
    </>
  )
}

type RowProps = Pick<Props, 'chosen' | 'other' | 'onChoose'> & {
  row: HistoryRow
  /** The checkpoint before this one, which is the next in the list. */
  below: string | undefined
}

function Row({ row, below, chosen, other, onChoose }: RowProps) {
  const failed = row.tasks.filter(({ error }) => error !== null)
  const waits = row.tasks.reduce((sum, { interrupts }) => sum + interrupts, 0)
  const isFork = row.parent !== null && below !== undefined && row.parent !== below
  return (
    <div className={cn('text-xs', row.id === chosen && 'bg-accent-soft', row.id === other && 'bg-warn-soft')}>
      <button
        type="button"
        value={row.id}
        aria-pressed={row.id === chosen}
        onClick={() => onChoose(row.id)}
        className="block w-full px-3 py-2 text-left hover:bg-hover"
      >
        <span className="flex items-center gap-2">
          <span className="font-medium tabular-nums">Step {row.step ?? '–'}</span>
          <Badge>{row.source ?? 'unknown'}</Badge>
          <span className="ml-auto flex items-center gap-2 text-ink-3">
            <span className="tabular-nums" title={`${row.bytes} bytes of values as JSON`}>
              {byteSize(row.bytes)}
            </span>
            <RelativeTime at={row.at} />
          </span>
        </span>
        <span className="block truncate text-ink-2">
          {row.by.length > 0 ? (
            <>
              by <VisibleText>{row.by.join(', ')}</VisibleText>,{' '}
            </>
          ) : null}
          {row.next.length > 0 ? <VisibleText>{`next: ${[...new Set(row.next)].join(', ')}`}</VisibleText> : 'finished'}
        </span>
        {isFork ? (
          <span className="flex items-center gap-1 text-ink-3">
            <GitFork aria-hidden className="size-3" />
            forked from {row.parent?.slice(0, 13)}
          </span>
        ) : null}
        {waits > 0 ? (
          <span className="block text-warn">{waits === 1 ? 'needs input' : `${waits} questions`}</span>
        ) : null}
        {failed.length > 0 ? (
          <span className="block truncate text-error" title={failed[0]?.error ?? undefined}>
            {failed.map(({ name }) => name).join(', ')} failed
          </span>
        ) : null}
      </button>
    </div>
  )
}
