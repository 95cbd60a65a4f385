import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue } from '@/components/runs/view/use-run-view'
import { isRunInProgress } from '@/lib/contracts/wire/state'
import { subscribe } from '@/lib/live/client'
import { runsQuery } from '@/lib/queries/runs'
import { threadStateQuery } from '@/lib/queries/thread-states'
import { threadsQuery } from '@/lib/queries/threads'
import type { RecordingSummary } from '@/lib/stream/log'
import { hasGoneOn } from '@/lib/stream/run-status'

/** Whether an ended run waits for a person, as far as its recording knows. */
export const isWaitingForInput = ({ view }: RunStore): boolean => {
  const outcome = view.final?.outcome
  const hasQuestion =
    view.interrupts.size > 0 && (outcome === 'waiting' || outcome === 'interrupted' || outcome === 'success')
  return hasQuestion || ((outcome === 'waiting' || outcome === 'interrupted') && view.next.length > 0)
}

/**
 * Whether the thread has gone on since the run stopped at its questions, because the recording keeps them even after an answer.
 * Unknown counts as no; the server rejects a second answer.
 */
export function useIsContinued(
  { workspace, deployment: deploymentId, run, outcome }: RecordingSummary,
  thread: string | null,
  store: RunStore,
): boolean {
  const isWaiting = useRunValue(store, isWaitingForInput)
  // A thread that has gone on stays so, even while a later run is busy on it.
  const [settled, setSettled] = useState<RunStore>()
  const isKnown = outcome === 'continued' || settled === store
  const found = useQuery({
    ...threadsQuery(workspace, deploymentId, {
      ids: thread ? [thread] : [],
      select: ['thread_id', 'status', 'interrupts'],
      limit: 1,
    }),
    enabled: thread !== null && isWaiting && !isKnown,
    retry: false,
    staleTime: 0,
  })
  const now = found.data?.find((one) => one.thread_id === thread)
  const isBusy = isWaiting && !isKnown && now?.status === 'busy'
  const inProgress = (status: 'running' | 'pending') => ({
    ...runsQuery(workspace, deploymentId, thread ?? '', { status, limit: 2 }),
    ...{ enabled: isBusy, retry: false, staleTime: 0 },
  })
  const running = useQuery(inProgress('running'))
  const pending = useQuery(inProgress('pending'))
  const questions = [...store.view.interrupts.keys()]
  // A run that another program cancelled leaves an idle thread too, so its next nodes decide.
  const isUnsure =
    isWaiting &&
    !isKnown &&
    store.view.final?.outcome === 'interrupted' &&
    questions.length === 0 &&
    (now?.status === 'idle' || now?.status === 'error')
  const state = useQuery({
    ...threadStateQuery(workspace, deploymentId, thread ?? ''),
    enabled: isUnsure,
    retry: false,
  })
  const isNext = state.data === undefined || `${state.data.next}` === `${store.view.next}`
  const active = [...(running.data ?? []), ...(pending.data ?? [])]
    .filter(({ status }) => isRunInProgress(status))
    .map(({ run_id }) => run_id)
  const isSettled =
    isWaiting &&
    (isUnsure
      ? !isNext
      : now !== undefined && hasGoneOn({ run: run ?? store.view.run.id ?? null, questions }, { ...now, active }))
  if (isSettled && !isKnown) setSettled(store)

  // Somebody else may answer while the page is open.
  const isOpen = isWaiting && !isKnown
  const [readThread, readState] = [found.refetch, state.refetch]
  const [readRunning, readPending] = [running.refetch, pending.refetch]
  useEffect(() => {
    if (!isOpen || thread === null) return
    return subscribe(
      { kind: 'thread', workspace, deployment: deploymentId, thread },
      {
        onValue: () => {
          void readThread()
          if (isUnsure) void readState()
          if (isBusy) void Promise.all([readRunning(), readPending()])
        },
      },
    )
  }, [isOpen, isUnsure, isBusy, workspace, deploymentId, thread, readThread, readState, readRunning, readPending])
  return isKnown || isSettled
}
