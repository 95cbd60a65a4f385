'use client'

import { ListTree, MessagesSquare, Pause, Play } from 'lucide-react'
import Link from 'next/link'
import { mayReplay } from '@/components/runs/lenses/run-lenses'
import { RunFigures } from '@/components/runs/view/run-figures'
import type { RunStore } from '@/components/runs/view/run-store'
import { TracedFigures } from '@/components/runs/view/traced-figures'
import { useRunValue } from '@/components/runs/view/use-run-view'
import { useReasons } from '@/components/shared/layout/rights'
import { Figure, RecordHeader } from '@/components/shared/layout/section-header'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { IdChip } from '@/components/shared/text/id-chip'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import type { ErrorView } from '@/lib/errors'
import { shortId } from '@/lib/format/format'
import { isUuid } from '@/lib/json/guards'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { VERSION_UNKNOWN } from '@/lib/stream/run-status'
import { CancelMenu } from './cancel-menu'
import { MoreMenu } from './more-menu'

type Props = {
  summary: RecordingSummary
  assistantName?: string
  serverNow: number
  store: RunStore
  /** The deployment was deleted; only the recording is left. */
  isGone: boolean
  isCancelling: boolean
  isContinued: boolean
  onCancelling: () => void
  onCancelFailed: (error: ErrorView) => void
}

const runOf = (store: RunStore) => store.view.run.id
const threadOf = (store: RunStore) => store.view.run.thread
/** Whether more events may come, or have come during a pause. */
const isMoving = (store: RunStore) => store.isPaused || (!store.view.final && store.phase !== undefined)
const isEnded = (store: RunStore) => !!store.view.final

/** The header of a run: status, metrics and actions. Only the metrics render again as the run progresses. */
export function RunHeader({
  summary,
  assistantName,
  serverNow,
  store,
  isGone,
  isCancelling,
  isContinued,
  onCancelling,
  onCancelFailed,
}: Props) {
  const { workspace, deployment: deploymentId, assistant, isStateless } = summary
  const liveThread = useRunValue(store, threadOf)
  const thread = isStateless ? null : (summary.thread ?? liveThread ?? null)
  const run = useRunValue(store, runOf) ?? summary.run
  const isFollowed = useRunValue(store, isMoving)
  const canReplay = useRunValue(store, mayReplay)
  const setSearch = useSetSearch({ isLocal: true })
  const { hasTraces } = useReasons()
  const mayGoOn = summary.phase !== 'ended'
  const isActive = !useRunValue(store, isEnded) && mayGoOn && !isGone
  return (
    <RecordHeader
      title={
        <span title={assistantName ?? assistant}>
          {assistantName ?? (isUuid(assistant) ? shortId(assistant) : assistant)}
        </span>
      }
      meta={<RunFigures {...{ summary, serverNow, store, isCancelling, isContinued }} isFolded />}
      actions={
        <>
          {isActive || (isFollowed && mayGoOn) ? (
            // First in a line at its right end, last on small screens, so that no other moves when the run ends.
            <span className="flex gap-1.5 max-sm:order-1">
              {isActive ? (
                <CancelMenu
                  summary={summary}
                  isCancelling={isCancelling}
                  onCancelling={onCancelling}
                  onFailed={onCancelFailed}
                />
              ) : null}
              {isFollowed && mayGoOn ? <PauseButton store={store} /> : null}
            </span>
          ) : null}
          {/* In the place of Cancel and Pause, so that the line is as long before and after the end. */}
          {isGone || isActive ? null : (
            <Button asChild size="sm" className="max-sm:order-1">
              {thread ? (
                <Link href={routes.chat(workspace, deploymentId, thread, { assistant })}>
                  <Play aria-hidden />
                  <span>
                    Continue <span className="max-sm:sr-only">in chat</span>
                  </span>
                </Link>
              ) : (
                <Link href={routes.newRun(workspace, deploymentId, { assistant })}>
                  <Play aria-hidden />
                  Run again
                </Link>
              )}
            </Button>
          )}
          {thread && !isGone ? (
            <Button asChild size="sm">
              <Link href={routes.thread(workspace, deploymentId, thread)}>
                <MessagesSquare aria-hidden />
                <span className="max-sm:sr-only">Open thread</span>
              </Link>
            </Button>
          ) : null}
          {run && hasTraces && !isGone ? (
            <Button asChild size="sm">
              <Link href={routes.traceOfRun(workspace, deploymentId, run)}>
                <ListTree aria-hidden />
                <span className="max-sm:sr-only">Open trace</span>
              </Link>
            </Button>
          ) : null}
          <MoreMenu
            summary={summary}
            store={store}
            isGone={isGone}
            onReplay={canReplay ? () => setSearch({ replay: '1' }) : undefined}
          />
        </>
      }
    >
      <div className="flex flex-col gap-1.5 text-ink-3 text-xs">
        <span className="contents sm:hidden">
          <TracedFigures summary={summary} store={store} />
        </span>
        {run ? (
          <Figure label="Run">
            <IdChip id={run} what="run ID" />
          </Figure>
        ) : null}
        <Figure label="Thread">
          {isStateless ? (
            <span title="A stateless run has no thread. Its output exists only in this recording.">
              none (stateless)
            </span>
          ) : thread ? (
            <IdChip id={thread} what="thread ID" />
          ) : (
            '–'
          )}
        </Figure>
        <Figure label="Assistant version" title={summary.assistantVersion ? undefined : VERSION_UNKNOWN}>
          {summary.assistantVersion ?? 'unknown'}
        </Figure>
        <Figure label="Started">
          <RelativeTime at={summary.startedAt} /> by{' '}
          <span className="max-w-48 truncate" title={summary.startedBy}>
            {summary.startedBy}
          </span>
        </Figure>
      </div>
    </RecordHeader>
  )
}

const isPaused = (store: RunStore) => store.isPaused

/** Pauses the page while the recording continues. */
function PauseButton({ store }: { store: RunStore }) {
  const paused = useRunValue(store, isPaused)
  return (
    <Button
      size="sm"
      title={paused ? 'Show new events' : 'Pauses this page. The run and its recording continue.'}
      onClick={() => (paused ? store.resume() : store.pause())}
    >
      {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
      <span className="max-sm:sr-only">{paused ? 'Resume' : 'Pause'}</span>
    </Button>
  )
}
