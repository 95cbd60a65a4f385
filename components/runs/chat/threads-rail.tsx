'use client'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import Link from 'next/link'
import type { MouseEvent } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { ClockTime, RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { count } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { NEEDS_INPUT, type ThreadRow, threadGroups, threadRow } from '@/lib/stream/thread-rows'
import { pressingCountQuery, pressingQuery, RAIL_THREADS, railQuery } from './chat-queries'

/** How often the list is read again, for threads of others. */
const EVERY_MS = 15_000
/** The same while they cannot be read. */
const AWAY_MS = 3_000

type Props = {
  place: DeploymentPlace
  thread: string | undefined
  hrefOf: (thread: string) => ReturnType<typeof routes.chat>
  onChoose: (thread: string) => void
  onNew: () => void
  /** An error that the conversation beside it tells. */
  told?: string | undefined
}

/** The newest threads with their titles and last messages, after those that need input, however old they are. */
export function ThreadsRail({ place, thread, hrefOf, onChoose, onNew, told }: Props) {
  const { workspace, deploymentId } = place
  const rich = useQuery({
    ...railQuery(place, false),
    refetchInterval: ({ state }) => (state.error ? AWAY_MS : EVERY_MS),
  })
  // Some servers reject a search that extracts values.
  const isPlain = rich.error?.code === 'invalid' || rich.error?.code === 'unsupported'
  const plain = useQuery({ ...railQuery(place, true), enabled: isPlain, refetchInterval: EVERY_MS })
  const { data: newest, error, failureReason, dataUpdatedAt, refetch } = isPlain ? plain : rich
  const pressing = useQuery({
    ...pressingQuery(place, isPlain),
    // Fewer are all there are.
    enabled: (newest?.length ?? 0) >= RAIL_THREADS,
    refetchInterval: EVERY_MS,
  })
  const known = new Set(newest?.map(({ thread_id }) => thread_id))
  const older = pressing.data?.filter((one) => one.status === 'interrupted' && !known.has(one.thread_id)) ?? []
  const data = newest && [...newest, ...older]
  const isCut = (pressing.data?.length ?? 0) >= RAIL_THREADS
  const { data: total } = useQuery({ ...pressingCountQuery(place), enabled: isCut, refetchInterval: EVERY_MS })
  const shown = data?.filter(({ status }) => status === 'interrupted').length ?? 0
  const choose = (id: string) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    onChoose(id)
  }
  return (
    <nav aria-label="Threads" className="flex h-full min-h-0 w-60 shrink-0 flex-col border-r bg-panel">
      <div className="p-2">
        <Button className="w-full" onClick={onNew}>
          <Plus aria-hidden />
          New chat
        </Button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {error && !data ? (
          error.view.message === told ? (
            <p className="px-2 py-6 text-center text-ink-3 text-xs">Threads could not be read.</p>
          ) : (
            <ErrorNotice error={error.view} onRetry={() => void refetch()} />
          )
        ) : null}
        {!data && !error ? <RailSkeleton /> : null}
        {failureReason && data ? (
          <p role="status" className="px-2 pt-1 text-warn text-xs" title={failureReason.view.message}>
            Last updated <ClockTime at={dataUpdatedAt} />.
          </p>
        ) : null}
        {data?.length === 0 ? <p className="px-2 py-6 text-center text-ink-3 text-xs">No threads yet</p> : null}
        {threadGroups((data ?? []).map(threadRow), new Date()).map(({ label, rows }) => (
          <section key={label} aria-label={`Threads, ${label.toLowerCase()}`}>
            <p className="px-2 pt-2 pb-1 text-ink-3 text-xs">{label}</p>
            <ul>
              {rows.map((row) => (
                <li key={row.id}>
                  <Link
                    href={hrefOf(row.id)}
                    prefetch={false}
                    aria-current={row.id === thread ? 'page' : undefined}
                    onClick={choose(row.id)}
                    className={cn('block rounded-md px-2 py-1.5 hover:bg-hover', row.id === thread && 'bg-hover')}
                  >
                    <span className="flex items-center gap-1.5">
                      <span title={row.title} className="min-w-0 flex-1 truncate font-medium text-sm">
                        <VisibleText>{row.title}</VisibleText>
                      </span>
                      <Status row={row} />
                    </span>
                    <span className="flex gap-2 text-ink-3 text-xs">
                      <span className="min-w-0 flex-1 truncate">
                        <VisibleText>{row.preview}</VisibleText>
                      </span>
                      <RelativeTime at={row.at} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
            {label === NEEDS_INPUT && isCut ? (
              <Link
                href={routes.threads(workspace, deploymentId, { status: 'interrupted' })}
                className="block px-2 pt-1 text-accent text-xs hover:underline"
              >
                {total !== undefined && total > shown
                  ? `${count(total - shown)} more need input`
                  : 'All that need input'}
              </Link>
            ) : null}
          </section>
        ))}
        {pressing.error && !pressing.data ? (
          <p className="px-2 pt-2 text-ink-3 text-xs">Older threads that need input could not be read.</p>
        ) : null}
        {data ? (
          <Link
            href={routes.threads(workspace, deploymentId)}
            className="block px-2 pt-2 text-accent text-xs hover:underline"
          >
            All threads
          </Link>
        ) : null}
      </div>
    </nav>
  )
}

/** Idle needs no word. */
function Status({ row }: { row: ThreadRow }) {
  if (row.status === 'busy') return <StatusBadge tone="progress">Busy</StatusBadge>
  if (row.status === 'error') return <StatusBadge tone="error">Failed</StatusBadge>
  return row.status === 'interrupted' ? <StatusBadge tone="warn">Input</StatusBadge> : null
}

const RailSkeleton = () => (
  <div role="status" aria-label="Loading" className="space-y-3 p-2">
    {['w-4/5', 'w-3/5', 'w-2/3'].map((width) => (
      <Skeleton key={width} className={width} />
    ))}
    <LateNotice className="text-xs" />
  </div>
)
