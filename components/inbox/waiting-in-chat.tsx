'use client'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import { useSave } from '@/components/shared/form/use-save'
import { answerThread } from '@/lib/actions/inbox'
import { withBasePath } from '@/lib/base-path'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import { routes } from '@/lib/routes'
import type { GivenAnswer } from '@/lib/stream/inbox'
import type { RecordingSummary } from '@/lib/stream/log'
import type { AnswersComponent } from './waiting-panel'
import { waitingQuery } from './waiting-query'

type Props = { place: ThreadPlace; Answers: AnswersComponent; onAnswered?: (run: RecordingSummary) => void }

/** The open questions of a thread whose run was started elsewhere, so that no recording has them. */
export function WaitingInChat({ place, Answers, onAnswered }: Props) {
  const { workspace, deploymentId, thread } = place
  // Questions must not change while the user answers.
  const { data, error, refetch } = useQuery({
    ...waitingQuery(workspace, deploymentId, thread),
    refetchOnWindowFocus: false,
  })
  const { save, isBusy, error: refused, queued } = useSave<RecordingSummary>()
  const key = useRef({ body: '', id: '' })
  function send(answers: GivenAnswer[]) {
    const body = printJson(answers)
    if (key.current.body !== body) key.current = { body, id: newRequestKey() }
    void save(
      () => answerThread({ place, answers: body, key: key.current.id }),
      (run) => onAnswered?.(run),
    )
  }
  if (error && !data) return <ErrorNotice error={error.view} onRetry={() => void refetch()} />
  if (data?.status !== 'interrupted') return null
  return (
    <section aria-label="Needs input" className="rounded-lg border border-accent/40 bg-panel p-3">
      <h3 className="mb-2 font-semibold">Needs input</h3>
      <QueuedNotice queued={queued} className="mb-3" />
      <Answers
        questions={data.questions}
        next={data.next}
        isBusy={isBusy}
        error={refused}
        linkTo={(interrupt) =>
          window.location.origin +
          withBasePath(routes.inbox(workspace, { deployment: deploymentId, thread, interrupt }))
        }
        onSend={send}
      />
    </section>
  )
}
