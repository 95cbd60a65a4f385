'use client'

import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useDeferredValue, useEffect, useState } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { useSheet } from '@/components/shared/list/use-sheet'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { FormattedRun } from '@/components/traces/common/formatted-run'
import { TypeMark } from '@/components/traces/common/run-badges'
import { useRunStatuses } from '@/components/traces/common/use-run-statuses'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { sheetOverList } from '@/components/ui/styles'
import { Tabs } from '@/components/ui/tabs'
import { cn } from '@/lib/cn'
import type { TracesPlace } from '@/lib/contracts/wire/places'
import { traceRunQuery } from '@/lib/queries/traces'
import type { PriceBook } from '@/lib/traces/cost'
import { flagsOf, type TreeNode } from '@/lib/traces/tree'
import { Attachments } from './attachments'
import { FeedbackList } from './feedback-list'
import { RunFacts } from './run-facts'

const JsonTree = dynamic(() => import('@/components/shared/json/json-tree').then((module) => module.JsonTree), {
  ssr: false,
})

/** Moving through the tree by arrow keys loads only the run where the user stops. */
const REST_MS = 120

type Props = {
  place: TracesPlace
  node: TreeNode | undefined
  isWhole: boolean
  isOver: boolean
  book: PriceBook | undefined
  figuresStyle?: string | undefined
  /** Set if it is a sheet over the tree. */
  onClose: (() => void) | undefined
}

/** One run of a trace in full: metrics, input and output, as messages or as JSON. */
export function Inspector({ place, node, isWhole, isOver, book, figuresStyle, onClose }: Props) {
  const [tab, setTab] = useState('formatted')
  const wanted = node?.run.id
  const sheet = useSheet(onClose)
  const statusOf = useRunStatuses(place, node ? [node.run] : [])
  const [restedOn, setRestedOn] = useState(wanted)
  useEffect(() => {
    const timer = setTimeout(() => setRestedOn(wanted), REST_MS)
    return () => clearTimeout(timer)
  }, [wanted])
  const frame = {
    ref: sheet,
    tabIndex: -1,
    'aria-label': 'Run',
    className: cn('rounded-lg border bg-panel outline-none', onClose && [sheetOverList, 'max-lg:rounded-b-none']),
  }
  const closing = onClose ? (
    <Button size="icon" variant="ghost" aria-label="Close" title="Close (Esc)" className="ml-auto" onClick={onClose}>
      <X aria-hidden />
    </Button>
  ) : null
  if (!node)
    return (
      <section {...frame}>
        <p className="flex items-start gap-2 p-4 text-ink-3 text-sm">
          {isWhole ? 'This run is not in the trace.' : 'This run has not been loaded yet.'}
          {closing}
        </p>
      </section>
    )
  const { run } = node
  const flags = flagsOf(node, { isWhole, isOver })
  return (
    <section {...frame} className={cn(frame.className, 'flex min-h-0 flex-col overflow-hidden')}>
      <header className="flex min-w-0 items-center gap-2 border-b px-3 py-2">
        <TypeMark type={run.type} />
        <h2 className="truncate font-semibold text-sm" title={run.name}>
          <VisibleText>{run.name || 'without a name'}</VisibleText>
        </h2>
        <span className="text-ink-3 text-xs">{run.type}</span>
        {closing}
      </header>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        aria-label="Run details"
        className={cn(
          'min-h-0 flex-1 px-3 py-2.5 focus-visible:-outline-offset-2 lg:overflow-y-auto lg:overscroll-contain',
          onClose && 'overflow-y-auto overscroll-contain',
        )}
      >
        {flags.map(({ kind, text }) => (
          <p key={`${kind} ${text}`} className="mb-2 rounded-md border border-warn/30 bg-warn-soft px-2 py-1 text-xs">
            {text}
          </p>
        ))}
        <div className={figuresStyle}>
          <RunFacts node={node} book={book} outcome={statusOf(run)} isLost={isOver} />
        </div>
        <Tabs
          label="Format"
          value={tab}
          onValueChange={setTab}
          className="mt-2"
          tabs={[
            { value: 'formatted', label: 'Formatted' },
            { value: 'json', label: 'JSON' },
          ]}
        >
          {restedOn === wanted ? (
            <Whole
              key={run.id}
              workspace={place.workspace}
              id={run.id}
              isJson={tab === 'json'}
              isOver={run.end !== null || isOver}
            />
          ) : (
            <WholeSkeleton />
          )}
        </Tabs>
      </section>
    </section>
  )
}

function Whole({ workspace, id, isJson, isOver }: { workspace: string; id: string; isJson: boolean; isOver: boolean }) {
  const query = traceRunQuery(workspace, id)
  const { data: come, error } = useQuery({
    ...query,
    staleTime: isOver ? 60_000 : 0,
    refetchInterval: isOver ? false : 3_000,
  })
  // Query results render urgently; deferring lets React render a long run in slices.
  const data = useDeferredValue(come)
  const retry = useTryAgain(query.queryKey)
  if (error && !come) return <ErrorNotice error={error.view} onRetry={retry} />
  if (!data) return <WholeSkeleton />
  if (isJson)
    return (
      // Where the page scrolls, most runs show all their lines in it.
      <div className="overflow-hidden rounded-lg border lg:h-[32rem]">
        <JsonTree value={data} label="Run as JSON" className="max-lg:max-h-[200rem] lg:h-full" />
      </div>
    )
  return (
    <div className="space-y-3">
      {data.error ? (
        <section
          aria-label={data.status === 'interrupted' ? 'Interrupt' : 'Error'}
          className={cn(
            'rounded-md border px-3 py-2',
            data.status === 'interrupted' ? 'bg-sunken' : 'border-error/30 bg-error-soft',
          )}
        >
          <LongText text={data.error} className="font-mono text-xs" />
        </section>
      ) : null}
      <FormattedRun run={data} />
      <Attachments workspace={workspace} run={id} list={data.stored_attachments ?? []} />
      <FeedbackList given={data.feedback ?? []} stats={data.feedback_stats} />
    </div>
  )
}

const WholeSkeleton = () => (
  <div className="space-y-2">
    {['w-full', 'w-2/3', 'w-3/4'].map((width) => (
      <Skeleton key={width} className={`h-12 ${width}`} />
    ))}
    <LateNotice />
  </div>
)
