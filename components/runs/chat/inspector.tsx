'use client'
import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { Suspense, useMemo } from 'react'
import { OpenLens } from '@/components/runs/lenses/run-lenses'
import { continueRequest } from '@/components/runs/start/recorded-request'
import { checkpointBefore } from '@/components/runs/view/checkpoint-before'
import { lensTabs, useMoment } from '@/components/runs/view/moment'
import { RunFromTask, RunPlace } from '@/components/runs/view/run-place'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunView } from '@/components/runs/view/use-run-view'
import { useReasons } from '@/components/shared/layout/rights'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { sheetOverList } from '@/components/ui/styles'
import { Tabs } from '@/components/ui/tabs'
import { cn } from '@/lib/cn'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError, type ErrorView } from '@/lib/errors'
import { relativeTime } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import type { ThreadViews } from './chat-views'
import { nameOfRun } from './conversation-messages'
import { LOST } from './use-send'

const GraphLens = dynamic(
  () => import('@/components/runs/lenses/graph/graph-lens').then(({ GraphLens }) => GraphLens),
  {
    ssr: false,
  },
)

type Props = {
  place: DeploymentPlace
  thread: string | undefined
  assistant: string | undefined
  /** Whose graph is shown before there is a run. */
  graph: string
  views: ThreadViews
  turns: readonly RecordingSummary[]
  current: RecordingSummary | undefined
  store: RunStore
  isActive: boolean
  isRunShown: boolean
  isBusy: boolean
  /** The thread asks something, which the inspector covers on small screens. */
  isWaiting: boolean
  /** Starts a run on the thread. */
  start: (request: Record<string, unknown>) => Promise<boolean>
  onError: (error: ErrorView) => void
  onClose: () => void
}

const LENSES = ['steps', 'graph', 'events'] as const
const TABS = [
  ...lensTabs(['steps', 'state', 'graph', 'events']),
  { value: 'trace', label: 'Trace' },
  { value: 'history', label: 'History' },
]

/** What the runs of a thread did, and the thread's state and history. The URL keeps the tab and the run. */
export function Inspector(props: Props) {
  const {
    place,
    thread,
    assistant,
    graph,
    views,
    turns,
    current,
    store,
    isActive,
    isRunShown,
    isBusy,
    isWaiting,
    start,
    onError,
    onClose,
  } = props
  const search = useSearchParams()
  const setSearch = useSetSearch({ isLocal: true })
  const client = useQueryClient()
  const { lens, at } = useMoment()
  const chosen = turns.find(({ id }) => id === search.get('run')) ?? current
  const isOther = chosen !== undefined && chosen.id !== current?.id
  const other = useRunView(place.workspace, isOther ? chosen.id : '')
  const shown = isOther ? other : store
  const given = search.get('tab')
  const tab = TABS.find(({ value }) => value === (given || lens))?.value ?? 'steps'
  const show = (value: string) =>
    LENSES.some((one) => one === value) ? setSearch({ lens: value, tab: '' }) : setSearch({ tab: value, lens: '' })
  const runPlace = useMemo(
    () => ({ ...place, assistant: chosen?.assistant ?? graph, thread: thread ?? null }),
    [place, chosen?.assistant, graph, thread],
  )
  // A run's own state is of interest while it changes, at a moment, or if it is not the thread's any more.
  const isRunState = chosen !== undefined && (isOther || (isActive && isRunShown) || at !== undefined)
  const isWide = tab === 'history'
  const { run: mayNot } = useReasons()
  const reason = mayNot ?? (isBusy ? 'A run is active. Wait for it to finish, or stop it.' : undefined)
  const fromTask = useMemo(() => {
    const run = async (task: string) => {
      if (!thread || !chosen) return
      try {
        const checkpoint = await checkpointBefore(client, { ...place, thread }, task)
        if (checkpoint)
          await start({
            ...continueRequest(chosen.request, chosen.assistant),
            checkpoint: { checkpoint_id: checkpoint },
          })
        else onError({ ...LOST, code: 'not_found', message: 'The checkpoint before this step is no longer there.' })
      } catch (error) {
        onError(error instanceof AppError ? error.view : LOST)
      }
    }
    return { reason, run: (task: string) => void run(task) }
  }, [client, place, thread, chosen, start, onError, reason])
  return (
    <aside
      aria-label="Inspector"
      className={cn(
        sheetOverList,
        'flex min-h-0 shrink-0 flex-col bg-panel lg:border-l',
        isWide ? 'lg:w-[60%]' : 'lg:w-96 2xl:w-[30rem]',
      )}
    >
      <div className="flex h-11 shrink-0 items-center gap-2 border-b px-3">
        {turns.length > 0 ? (
          <Select
            aria-label="Run"
            className="h-7 w-auto min-w-0 flex-1 text-xs"
            value={chosen?.id ?? ''}
            onChange={({ target }) => setSearch({ run: target.value === current?.id ? '' : target.value, at: '' })}
          >
            {[...turns].reverse().map((one) => (
              <option key={one.id} value={one.id}>
                {nameOfRun(one)}, {relativeTime(Date.parse(one.startedAt), Date.now())}, by {one.startedBy}
              </option>
            ))}
          </Select>
        ) : (
          <span className="flex-1 text-ink-3 text-xs">No recorded runs</span>
        )}
        <Button size="icon" variant="ghost" aria-label="Close inspector" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      {isWaiting ? (
        <p className="flex items-center gap-2 border-b bg-warn-soft px-3 py-1 text-sm lg:hidden">
          <span className="flex-1">This thread needs input.</span>
          <Button size="sm" onClick={onClose}>
            Show the question
          </Button>
        </p>
      ) : null}
      <Tabs
        label="Inspector"
        value={tab}
        onValueChange={show}
        tabs={TABS}
        className="min-h-0 flex-1 [&>[role=tablist]]:gap-4 [&>[role=tablist]]:px-3 [&>[role=tabpanel]]:overflow-hidden [&>[role=tabpanel]]:pt-0"
      >
        <RunPlace value={runPlace}>
          <RunFromTask value={fromTask}>
            {tab === 'history' && thread ? (
              <views.History {...place} thread={thread} assistant={assistant} />
            ) : tab === 'state' && thread && !isRunState ? (
              <views.State {...place} thread={thread} assistant={assistant} isBusy={isBusy} />
            ) : !chosen && tab === 'graph' ? (
              <GraphLens store={store} />
            ) : !chosen || tab === 'history' ? (
              <p className="px-4 py-10 text-center text-ink-3 text-sm">
                {thread ? 'No run of this thread was recorded here.' : 'Nothing yet. Send a message.'}
              </p>
            ) : tab === 'trace' ? (
              <TraceLinks summary={chosen} store={shown} />
            ) : (
              <Suspense>
                <OpenLens
                  lens={tab === 'state' ? 'state' : (tab as (typeof LENSES)[number])}
                  store={shown}
                  summary={chosen}
                />
              </Suspense>
            )}
          </RunFromTask>
        </RunPlace>
      </Tabs>
    </aside>
  )
}

function TraceLinks({ summary, store }: { summary: RecordingSummary; store: RunStore }) {
  const { workspace, deployment: deploymentId } = summary
  const run = store.view.run.id ?? summary.run
  const { hasTraces } = useReasons()
  return (
    <div className="flex flex-col items-start gap-2 p-4 text-sm">
      {!hasTraces ? (
        <p className="text-ink-3">This workspace has no tracing server. An administrator can set one in Settings.</p>
      ) : run ? (
        <Button asChild size="sm">
          <Link href={routes.traceOfRun(workspace, deploymentId, run)}>Open trace</Link>
        </Button>
      ) : (
        <p className="text-ink-3">The run has no id yet.</p>
      )}
      <Button asChild size="sm">
        <Link href={routes.recording(workspace, deploymentId, summary.id)}>Open run</Link>
      </Button>
    </div>
  )
}
