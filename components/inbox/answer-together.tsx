'use client'
import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Notice } from '@/components/shared/feedback/notice'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import { BulkDialog } from '@/components/shared/list/bulk-dialog'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Tone } from '@/components/ui/badge'
import { Dialog } from '@/components/ui/dialog'
import { Skeleton } from '@/components/ui/loading'
import type { AnsweredThread } from '@/lib/contracts/wire/bulk'
import { count } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import type { GivenAnswer, WaitingDetail } from '@/lib/stream/inbox'
import type { InboxRow } from './inbox-columns'
import { useJointAnswers } from './use-joint-answers'
import { waitingQuery } from './waiting-query'

type Given = { id: string; answers: GivenAnswer[] }
/** Renders the shared answer form. Passed in by the page, since features cannot import each other. */
export type JointComponent = (props: {
  threads: readonly { id: string; questions: WaitingDetail['questions'] }[]
  onReview: (given: Given[]) => void
  onCancel: () => void
}) => ReactNode

type Props = {
  workspace: string
  threads: readonly InboxRow[]
  Joint: JointComponent
  onAnswered: (ids: string[]) => void
  onClose: () => void
}

const OUTCOMES: Record<AnsweredThread['outcome'], [Tone, string]> = {
  answered: ['ok', 'Answered'],
  passed: ['neutral', 'Not sent'],
  failed: ['error', 'Not answered'],
  unknown: ['unknown', 'Unknown'],
  // Sent again until it has another outcome.
  queued: ['neutral', 'Waiting'],
}

/** One answer for several waiting threads: written once, reviewed for each thread, sent, with an outcome for each. */
export function AnswerTogether({ workspace, threads: given, Joint, onAnswered, onClose }: Props) {
  // Captured on opening, because answered threads leave the list.
  const [threads] = useState(given)
  const [reviewed, setReviewed] = useState<Given[]>()
  const [isSent, setSent] = useState(false)
  const joint = useJointAnswers(workspace)
  const read = useQueries({
    queries: threads.map(({ deployment: deploymentId, thread }) => ({
      ...waitingQuery(workspace, deploymentId, thread),
      refetchOnWindowFocus: false,
      retry: false,
    })),
  })
  const found = threads.map((thread, at) => ({ thread, data: read[at]?.data, error: read[at]?.error }))
  const waiting = found.filter(({ data }) => data && data.status !== 'idle' && data.status !== 'busy')
  const left = found.filter(({ data, error }) => error || data?.status === 'idle' || data?.status === 'busy')
  const title = `Answer ${count(threads.length)} threads together`
  return (
    <>
      <Dialog open onOpenChange={onClose} title={title} className={reviewed ? 'opacity-0' : undefined}>
        {read.some(({ isPending }) => isPending) ? (
          <Skeleton className="h-40" />
        ) : (
          <div className="space-y-3">
            {left.length > 0 ? (
              <Notice tone="warn">
                <p>{left.length === 1 ? 'One thread is left out:' : `${count(left.length)} threads are left out:`}</p>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
                <ul tabIndex={0} aria-label="Left out" className="max-h-32 overflow-y-auto text-xs">
                  {left.map(({ thread, error }) => (
                    <li key={thread.id}>
                      <VisibleText>{thread.name}</VisibleText>: {error ? error.message : 'no longer waiting.'}
                    </li>
                  ))}
                </ul>
              </Notice>
            ) : null}
            <Joint
              threads={waiting.map(({ thread: { id }, data }) => ({ id, questions: data?.questions ?? [] }))}
              onReview={setReviewed}
              onCancel={onClose}
            />
          </div>
        )}
      </Dialog>
      {reviewed ? (
        <BulkDialog<AnsweredThread>
          verb={reviewed.length === 1 ? 'Answer one thread' : `Answer ${count(reviewed.length)} threads`}
          means="Continues each thread with a recorded run. Threads that were answered or ask something else by then are skipped."
          subjects={reviewed.flatMap(({ id, answers }) => {
            const thread = threads.find((one) => one.id === id)
            return thread ? [{ id, name: thread.name, detail: wordsOf(thread, answers) }] : []
          })}
          isTyped={false}
          isHarmless
          outcomes={OUTCOMES}
          summary={(results) =>
            `${count(results.filter(({ outcome }) => outcome === 'answered').length)} of ${count(results.length)} answered`
          }
          send={({ key }) => joint.send(key, reviewed.flatMap(toSend))}
          onResults={(results) => {
            setSent(true)
            onAnswered(results.filter(({ outcome }) => outcome === 'answered').map(({ id }) => id))
          }}
          onClose={() => (isSent ? onClose() : setReviewed(undefined))}
        >
          <QueuedNotice queued={joint.queued} cancelLabel="Stop waiting">
            {joint.told === 0
              ? 'No thread was answered yet'
              : `${count(joint.told)} of ${count(reviewed.length)} threads are done`}
            ; leaving this page leaves the others unanswered.
          </QueuedNotice>
        </BulkDialog>
      ) : null}
    </>
  )

  function toSend({ id, answers }: Given) {
    const found = threads.find((one) => one.id === id)
    return found ? [{ id, deploymentId: found.deployment, thread: found.thread, answers: printJson(answers) }] : []
  }
}

/** The answer next to each of the thread's questions. */
const wordsOf = ({ asks }: InboxRow, answers: readonly GivenAnswer[]) =>
  answers.length === 0
    ? 'Stopped at a breakpoint → continues'
    : [
        `${asks} → ${[...new Set(answers.map(({ answer }) => printJson(answer)))].join(', ')}`,
        ...answers
          .map(({ asked }) => (typeof asked === 'string' ? asked : printJson(asked ?? null)))
          .filter((asked) => asked !== asks),
      ].join('\n')
