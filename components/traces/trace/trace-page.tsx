'use client'

import { useQuery } from '@tanstack/react-query'
import { Columns2, Disc, Download, MessagesSquare } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useCallback, useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { STALE_STYLE, StaleNotice } from '@/components/shared/feedback/stale-notice'
import { usePageTitle } from '@/components/shared/layout/page-title'
import { useOpened } from '@/components/shared/layout/recent'
import { Figure, RecordHeader } from '@/components/shared/layout/section-header'
import { useLocalParam } from '@/components/shared/layout/use-local-param'
import { useIsNarrow } from '@/components/shared/list/use-sheet'
import { IdChip } from '@/components/shared/text/id-chip'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CostText, costOf, hasCost, usePriceBook } from '@/components/traces/common/cost'
import { amountText, timeText, tokenPartsText } from '@/components/traces/common/format'
import { RunStatus } from '@/components/traces/common/run-badges'
import { compareHref, traceHref, tracesHref } from '@/components/traces/common/traces-place'
import { isRunOver, useRunStatuses } from '@/components/traces/common/use-run-statuses'
import { type TraceLoad, useTrace } from '@/components/traces/common/use-trace'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { withBasePath } from '@/lib/base-path'
import { cn } from '@/lib/cn'
import type { RunRowStatus } from '@/lib/contracts/agents/run-row'
import type { ThreadPlace, TracesPlace } from '@/lib/contracts/wire/places'
import { count } from '@/lib/format/format'
import { intervalName } from '@/lib/format/intervals'
import { threadsQuery } from '@/lib/queries/threads'
import { routes } from '@/lib/routes'
import type { PriceBook } from '@/lib/traces/cost'
import { TreeBar } from './tree-bar'
import { TreeView } from './tree-view'
import { useTreeRows } from './use-tree-rows'

// Loaded separately, so that the tree renders first.
const Inspector = dynamic(() => import('./inspector').then((module) => module.Inspector), {
  ssr: false,
  loading: () => <div aria-hidden className="rounded-lg border bg-panel max-lg:hidden" />,
})

type Props = {
  place: TracesPlace
  trace: string
  /** The id of our recording of the same run. */
  recording: string | null
}

/** One trace: all its runs as a tree over time, and the selected run in full. */
export function TracePage({ place, trace, recording }: Props) {
  const { workspace } = place
  const load = useTrace(workspace, trace)
  const { tree, version, isWhole, error, stale, isPending, retry } = load
  const book = usePriceBook(workspace)
  const [chosen, choose] = useLocalParam('run')
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [query, setQuery] = useState('')
  const [isErrorsFirst, setErrorsFirst] = useState(false)
  const [hasHidden, setHidden] = useState(false)
  const options = useMemo(
    () => ({ closed, isErrorsFirst, hasHidden, query }),
    [closed, isErrorsFirst, hasHidden, query],
  )
  const shown = useTreeRows(tree, version, options)
  const { rows } = shown
  const root = tree.root?.run
  const status = useRunStatuses(place, root ? [root] : [])(root ?? NO_RUN)
  const isOver = root !== undefined && isRunOver(root.status, status, tree.end)
  // Traces of one graph are all called alike.
  const opened = root?.name && root.start !== null ? `${root.name}, ${intervalName(root.start, 1)}` : undefined
  useOpened(traceHref(place, trace), 'Trace', opened)
  usePageTitle(root?.name && `Trace of ${root.name}`)
  const rootId = root?.id
  const shownRun = chosen || rootId
  // With one run there is nothing to choose: its content gets the whole width.
  const hasTree = !isWhole || tree.size > 1 || shownRun !== rootId
  const isNarrow = useIsNarrow()
  const isCovered = isNarrow && hasTree && chosen !== ''
  // Below a sheet, the run to come back to.
  const [current, setCurrent] = useState('')
  const selected = (isNarrow && current) || shownRun
  const select = useCallback(
    (id: string) => (isNarrow ? setCurrent(id) : choose(id === rootId ? '' : id)),
    [choose, rootId, isNarrow],
  )
  const open = useCallback(
    (id: string) => {
      select(id)
      if (isNarrow) choose(id, isCovered ? 'replace' : 'push')
    },
    [select, choose, isNarrow, isCovered],
  )
  const close = () => {
    setCurrent(chosen)
    choose('')
  }
  if (error && tree.size === 0) return <ErrorNotice error={error} onRetry={retry} />
  if (isPending && tree.size === 0) return <TraceSkeleton />
  if (tree.size === 0)
    return (
      <div className="rounded-lg border bg-panel">
        <EmptyState
          title="Trace not found"
          action={
            <Button asChild>
              <Link href={tracesHref(place)}>All traces</Link>
            </Button>
          }
        >
          It may have expired.
        </EmptyState>
      </div>
    )
  return (
    <>
      <TraceHeader {...{ place, trace, recording, load, book, status, isOver }} />
      {error ? <ErrorNotice error={error} onRetry={retry} className="mb-3" /> : null}
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      <div
        data-fills-page="lg"
        className={cn(
          'grid min-h-0 gap-3 lg:min-h-[30rem] lg:flex-1 lg:grid-rows-[minmax(0,1fr)]',
          hasTree && 'lg:grid-cols-[minmax(0,11fr)_minmax(0,9fr)]',
          // As much room as the sheet covers, so that every row can be above it.
          isCovered && 'pb-[75dvh]',
        )}
      >
        {hasTree ? (
          <section
            aria-label="Tree"
            className={cn('flex min-h-0 flex-col overflow-hidden rounded-lg border bg-panel', stale && OLD_STYLE)}
          >
            <TreeBar
              {...{ tree, shown, isWhole, selected, query, isErrorsFirst, hasHidden, closed }}
              onQuery={setQuery}
              onErrorsFirst={setErrorsFirst}
              onHidden={setHidden}
              onClosed={setClosed}
              onSelect={select}
            />
            {rows.length > 0 ? (
              <TreeView
                {...{ tree, rows, isWhole, isOver, selected, closed, book, isCovered }}
                onSelect={select}
                onOpen={open}
                onClosed={setClosed}
              />
            ) : (
              <p className="px-3 py-8 text-center text-ink-3 text-sm">No matching runs.</p>
            )}
          </section>
        ) : null}
        {isNarrow && hasTree && !isCovered ? null : (
          <Inspector
            place={place}
            node={shownRun ? tree.nodes.get(shownRun) : undefined}
            isWhole={isWhole}
            isOver={isOver}
            book={book}
            figuresStyle={stale && OLD_STYLE}
            onClose={isCovered ? close : undefined}
          />
        )}
      </div>
    </>
  )
}

/** Nothing turns either, as nobody knows whether it still runs. */
const OLD_STYLE = `${STALE_STYLE} [&_svg]:animate-none`

const NO_RUN = { id: '', trace: null, run: null }

type HeaderProps = Props & {
  load: TraceLoad
  book: PriceBook | undefined
  status: RunRowStatus | undefined
  isOver: boolean
}

function TraceHeader({ place, trace, recording, load, book, status, isOver }: HeaderProps) {
  const { tree, isWhole, stale } = load
  const { workspace, deploymentId } = place
  const root = tree.root?.run
  const { tokens, models, logged, calls, firstTokenAt } = tree.sums
  const parts = tokenPartsText(tree.sums)
  const cost = costOf(logged, [...calls.values()], book)
  const firstToken = firstTokenAt === null || !root?.start ? null : firstTokenAt - root.start
  const thread = root?.thread
  return (
    <RecordHeader
      title={<VisibleText>{root?.name || 'Trace'}</VisibleText>}
      meta={
        <>
          {root ? (
            <span className={stale && STALE_STYLE}>
              <RunStatus status={root.status} run={status} isLost={isOver} title={root.error ?? undefined} />
            </span>
          ) : null}
          <Figure label="Took" title={TOOK}>
            {timeText(root?.latency)}
          </Figure>
          <Figure label="Tokens" title="Model runs only; other runs repeat them">
            {amountText(tokens)}
            {parts === '' ? null : <span className="text-ink-3 max-sm:hidden"> ({parts})</span>}
          </Figure>
          {hasCost(cost) ? (
            <Figure label="Cost">
              <CostText cost={cost} />
            </Figure>
          ) : null}
          <Figure label="Runs">
            <span>
              {count(tree.size)}
              {isWhole ? '' : ' so far'}
              {tree.errorCount > 0 ? <span className="text-error">, {count(tree.errorCount)} failed</span> : null}
            </span>
          </Figure>
        </>
      }
      actions={
        <>
          {recording && deploymentId ? (
            <Button asChild size="sm">
              <Link prefetch={false} href={routes.recording(workspace, deploymentId, recording)}>
                <Disc aria-hidden />
                <span className="max-sm:sr-only">Recording of the run</span>
              </Link>
            </Button>
          ) : null}
          {thread && deploymentId ? <ThreadLink {...{ workspace, deploymentId, thread }} /> : null}
          <Button asChild size="sm">
            <Link prefetch={false} href={compareHref(place, trace)}>
              <Columns2 aria-hidden />
              <span className="max-sm:sr-only">Compare</span>
            </Link>
          </Button>
          <Button asChild size="sm">
            <a href={withBasePath(routes.traceFile(workspace, trace))} download>
              <Download aria-hidden />
              <span className="max-sm:sr-only">Download</span>
            </a>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-1.5">
        <Figure label="Trace">
          <IdChip id={trace} what="trace id" />
        </Figure>
        <Figure label="Started">
          <RelativeTime at={root?.start} />
        </Figure>
        <Figure label="First token" title="From the start of the trace to the first token of any model">
          {timeText(firstToken !== null && firstToken >= 0 ? firstToken : null)}
        </Figure>
        {models > 0 ? <Figure label="Model calls">{count(models)}</Figure> : null}
        <p className="max-w-80 text-ink-3 text-xs">{TOOK}</p>
      </div>
    </RecordHeader>
  )
}

const TOOK =
  'Took: from the start of the trace’s first run to its end, as the agent logged them. The duration on the page of the run is the agent server’s, so the two differ.'

/** The thread of the traced run. A stateless run has one only until its end. */
function ThreadLink({ workspace, deploymentId, thread }: ThreadPlace) {
  const { data } = useQuery({
    ...threadsQuery(workspace, deploymentId, { ids: [thread], select: ['thread_id'], limit: 1 }),
    staleTime: 60_000,
  })
  // A server that cannot search by id lists others, and then the link is the only way to find out.
  if (data?.length === 0)
    return (
      <span className="text-ink-3 text-xs" title="The thread of a stateless run is removed at its end.">
        Thread deleted
      </span>
    )
  return (
    <Button asChild size="sm">
      <Link prefetch={false} href={routes.thread(workspace, deploymentId, thread)}>
        <MessagesSquare aria-hidden />
        <span className="max-sm:sr-only">Thread</span>
      </Link>
    </Button>
  )
}

const TraceSkeleton = () => (
  <div className="space-y-3">
    <Skeleton className="h-6 w-64" />
    <LateSkeleton className="h-96 w-full" />
  </div>
)
