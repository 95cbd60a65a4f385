'use client'
import { Download } from 'lucide-react'
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { useIsSaid } from '@/components/shared/feedback/stale-notice'
import { useFollow } from '@/components/shared/layout/fixed-rows'
import { FollowPill } from '@/components/shared/layout/virtual-feed'
import { SearchBox } from '@/components/shared/list/search-box'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Skeleton } from '@/components/ui/loading'
import { scrollPanel } from '@/components/ui/styles'
import { withBasePath } from '@/lib/base-path'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { Chips, LEVELS } from './chips'
import { FindBar } from './find-bar'
import type { LogColumns } from './log-row'
import { FixedRows, WrappedRows } from './log-rows'
import { LogSearch, stepFrom } from './log-search'
import type { LogStore } from './log-store'
import { type LogOf, useLog } from './use-log'

export type LogView = { level: string; query: string; isWrapped: boolean; hasTimes: boolean }

type Props = LogOf & {
  view: LogView
  onView: (change: Partial<LogView>) => void
  /** Controls before those of the log. */
  tools?: ReactNode
  /** Which lines these are, for the line below them. */
  covers?: string
  height?: string
  /** Shown if the log has no lines. */
  empty: ReactNode
}

/** A live log with filter, search, copy and download. Only visible rows are rendered. */
export function LogViewer({ view, onView, tools, covers, height = 'h-[28rem] max-h-[70vh]', empty, ...of }: Props) {
  const { workspace, deploymentId, revision, type, from, to } = of
  const { level, query, isWrapped, hasTimes } = view
  const knownLevel = LEVELS.find(({ value }) => value === level)?.value || undefined
  const store = useLog({ ...of, level: knownLevel, query: query || undefined })
  const scroller = useRef<HTMLDivElement>(null)
  /** Rendered again with each height, which is when the new end can be scrolled to. */
  const [, setRowsHeight] = useState(0)
  const [text, setText] = useState('')
  const [current, setCurrent] = useState<number>()
  const needle = useDeferredValue(text)
  const isStarting = store.phase === undefined || store.phase === 'starting'
  // biome-ignore lint/correctness/useExhaustiveDependencies: another log has other row numbers
  const search = useMemo(() => new LogSearch(needle), [needle, store])
  const hits = search.advance(store)
  const { isFollowing, unseen, follow, unfollow } = useFollow(scroller, store.next)
  const go = (step: 1 | -1) => {
    const next = stepFrom(hits, current, step)
    if (next === undefined) return
    unfollow()
    setCurrent(next)
  }
  const Rows = isWrapped ? WrappedRows : FixedRows
  const isFiltered = Boolean(knownLevel || query)
  const columns = useMemo<LogColumns>(
    () => ({ workspace, deploymentId, hasTimes, isOfAll: revision === undefined }),
    [workspace, deploymentId, hasTimes, revision],
  )
  // The whole log of a revision; of all revisions only what is asked for.
  const filters = revision === undefined ? { from, to, level: knownLevel, q: query || undefined } : undefined
  return (
    <div className={cn('flex flex-col', scrollPanel)}>
      <div className="flex flex-wrap items-center gap-2 border-b px-2 py-1.5">
        {tools}
        <Chips label="Level" value={knownLevel ?? ''} choices={LEVELS} onChange={(level) => onView({ level })} />
        <SearchBox
          label="Filter lines by text"
          className="sm:w-52"
          value={query}
          onChange={(value) => onView({ query: value.slice(0, 300) })}
        />
        <FindBar
          value={text}
          onChange={(value) => {
            setText(value)
            setCurrent(undefined)
          }}
          summary={needle === '' ? '' : summaryOf(hits, current)}
          hasHits={hits.length > 0}
          onStep={go}
        />
        <span className="ml-auto flex flex-wrap items-center gap-1">
          <Toggle label="Times" isOn={hasTimes} onChange={(isOn) => onView({ hasTimes: isOn })} />
          <Toggle label="Wrap" isOn={isWrapped} onChange={(isOn) => onView({ isWrapped: isOn })} />
          <Toggle label="Follow" isOn={isFollowing} onChange={(isOn) => (isOn ? follow() : unfollow())} />
          <CopyButton what="shown lines" value={() => textOf(store)} className="size-7" />
          <Button asChild variant="ghost" size="sm">
            <a href={withBasePath(routes.logFile(workspace, deploymentId, revision, type, filters))} download>
              <Download aria-hidden />
              Download
            </a>
          </Button>
        </span>
      </div>
      <Notices store={store} />
      <div className={cn('relative min-h-48', height)}>
        <section
          ref={scroller}
          aria-label={`${type === 'build' ? 'Build' : 'Deploy'} log`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
          tabIndex={0}
          className="absolute inset-0 overflow-auto overscroll-contain py-1 [overflow-anchor:none] focus-visible:-outline-offset-2"
        >
          {store.rows.length > 0 ? (
            <Rows
              scroller={scroller}
              rows={store.rows}
              columns={columns}
              needle={needle}
              current={current}
              onHeight={setRowsHeight}
            />
          ) : store.problem ? (
            <div className="p-3">
              {store.problem.code === 'unsupported' ? (
                <EmptyState title="This server has no logs endpoint">{store.problem.message}</EmptyState>
              ) : (
                <ErrorNotice error={{ message: store.problem.message }} />
              )}
            </div>
          ) : isStarting ? (
            <div className="flex flex-col gap-2 p-3" role="status" aria-label="Loading">
              {['w-1/2', 'w-2/3', 'w-1/3', 'w-3/5'].map((width) => (
                <Skeleton key={width} className={width} />
              ))}
              <LateNotice />
            </div>
          ) : isFiltered ? (
            <EmptyState
              title="No matching lines"
              action={<Button onClick={() => onView({ level: '', query: '' })}>Show all lines</Button>}
            >
              Change the level or the text.
            </EmptyState>
          ) : (
            empty
          )}
        </section>
        {isFollowing || store.rows.length === 0 ? null : (
          <FollowPill {...{ scroller, unseen }} isLive onFollow={follow} />
        )}
      </div>
      <p className="border-t px-3 py-1 text-ink-3 text-xs tabular-nums">
        {store.rows.length === 0 && (isStarting || store.problem) ? '–' : count(store.rows.length)}{' '}
        {store.rows.length === 1 ? 'line' : 'lines'}
        {covers ? ` · ${covers}` : ''}
        {isStarting && store.rows.length > 0 ? ', loading more…' : ''}
      </p>
    </div>
  )
}

function Notices({ store }: { store: LogStore }) {
  const isSaid = useIsSaid(store.problem?.message ?? '')
  return (
    <>
      {store.isCut ? (
        <p className="border-b bg-warn-soft px-3 py-1 text-xs">
          Only the newest lines are shown. Filter or download the log to get older ones.
        </p>
      ) : null}
      {store.problem && store.rows.length > 0 ? (
        <p role="status" className="border-b bg-warn-soft px-3 py-1 text-xs">
          {isSaid ? 'No new lines arrive.' : store.problem.message} Retrying…
        </p>
      ) : null}
    </>
  )
}

function summaryOf(hits: readonly number[], current: number | undefined): string {
  if (hits.length === 0) return 'No results'
  const at = current === undefined ? -1 : hits.indexOf(current)
  return at === -1 ? `${count(hits.length)} found` : `${count(at + 1)} of ${count(hits.length)}`
}

/** The shown rows as text. */
const textOf = ({ rows }: LogStore) =>
  rows
    .map(({ line, isFirst, text }) => (isFirst ? [line.timestamp, line.level, text].filter(Boolean).join(' ') : text))
    .join('\n')

const Toggle = ({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <Button
    variant="ghost"
    size="sm"
    aria-pressed={isOn}
    className={isOn ? 'bg-accent-soft text-ink' : undefined}
    onClick={() => onChange(!isOn)}
  >
    {label}
  </Button>
)
