import { useQuery } from '@tanstack/react-query'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue } from '@/components/runs/view/use-run-view'
import { threadStateQuery } from '@/lib/queries/thread-states'
import { threadsQuery } from '@/lib/queries/threads'
import type { RecordingSummary } from '@/lib/stream/log'

/** Whether an ended run waits for a person, as far as its recording knows. */
export const isWaitingForInput = ({ view }: RunStore): boolean => {
  const outcome = view.final?.outcome
  const hasQuestion =
    view.interrupts.size > 0 && (outcome === 'waiting' || outcome === 'interrupted' || outcome === 'success')
  return hasQuestion || (outcome === 'interrupted' && view.next.length > 0)
}

/**
 * Whether the thread has gone on since the run stopped at its questions, because the recording keeps them even after an answer.
 * Unknown counts as no; the server rejects a second answer.
 */
export function useIsContinued(
  { workspace, deployment: deploymentId, outcome }: RecordingSummary,
  thread: string | null,
  store: RunStore,
): boolean {
  const isWaiting = useRunValue(store, isWaitingForInput)
  const found = useQuery({
    ...threadsQuery(workspace, deploymentId, {
      ids: thread ? [thread] : [],
      select: ['thread_id', 'status', 'interrupts'],
      limit: 1,
    }),
    enabled: thread !== null && isWaiting,
    retry: false,
    staleTime: 0,
  })
  const now = found.data?.[0]
  const questions = [...store.view.interrupts.keys()]
  // A run that another program cancelled leaves an idle thread too, so without a question the next nodes decide.
  const isUnsure = isWaiting && now?.thread_id === thread && now?.status === 'idle' && questions.length === 0
  const state = useQuery({
    ...threadStateQuery(workspace, deploymentId, thread ?? ''),
    enabled: isUnsure && outcome !== 'continued',
    retry: false,
  })
  if (outcome === 'continued') return true
  // Right after the run's end the server's record may lag behind.
  if (!isWaiting || !now || now.thread_id !== thread || now.status === 'busy') return false
  if (isUnsure) return state.data !== undefined && `${state.data.next}` !== `${store.view.next}`
  if (now.status === 'idle') return true
  const ids = Object.values(now.interrupts ?? {}).flatMap((list) => list.map(({ id }) => id))
  return questions.length > 0 && ids.length > 0 && !questions.some((id) => ids.includes(id))
}
