'use client'
import { useQuery } from '@tanstack/react-query'
import { CheckCircle2, X } from 'lucide-react'
import Link from 'next/link'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { useSave } from '@/components/shared/form/use-save'
import { useRowKeys } from '@/components/shared/list/use-row-keys'
import { IdChip } from '@/components/shared/text/id-chip'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { sheetOverList } from '@/components/ui/styles'
import { answerThread } from '@/lib/actions/inbox'
import { withBasePath } from '@/lib/base-path'
import { cn } from '@/lib/cn'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import type { ErrorView } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import { routes } from '@/lib/routes'
import type { GivenAnswer, WaitingDetail } from '@/lib/stream/inbox'
import type { RecordingSummary } from '@/lib/stream/log'
import { waitingQuery } from './waiting-query'

export type AnswersProps = {
  questions: WaitingDetail['questions']
  next: readonly string[]
  marked?: string
  isBusy: boolean
  error?: ErrorView
  linkTo: (question: string) => string
  onSend: (answers: GivenAnswer[]) => void
}
/** Renders the questions. Passed in by the page, since features cannot import each other. */
export type AnswersComponent = (props: AnswersProps) => ReactNode

type Props = {
  place: ThreadPlace
  name?: string
  marked?: string
  Answers: AnswersComponent
  /** Called once every question has an answer. */
  onAnswered: () => void
}

/** One waiting thread with its questions and the form to answer them: beside the list, or a sheet over it. */
export function WaitingPanel({ place, name: listed, marked, Answers, onAnswered }: Props) {
  const { workspace, deploymentId, thread } = place
  // Kept in state, because an answered thread leaves the list.
  const [name, setName] = useState(listed)
  if (listed && listed !== name) setName(listed)
  const query = waitingQuery(workspace, deploymentId, thread)
  // Questions must not change while the user answers; they are refetched after an answer.
  const { data, error, dataUpdatedAt } = useQuery({ ...query, refetchOnWindowFocus: false })
  const retry = useTryAgain(query.queryKey)
  const [sent, setSent] = useState<{ run: RecordingSummary; isAll: boolean }>()
  const save = useSave<RecordingSummary>()
  const key = useRef({ body: '', id: '' })
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  const close = useRef<HTMLAnchorElement>(null)
  useRowKeys({
    onEscape: () => {
      const isSheet = close.current?.checkVisibility() ?? false
      if (isSheet) close.current?.click()
      return isSheet
    },
  })

  function send(answers: GivenAnswer[]) {
    const body = printJson(answers)
    if (key.current.body !== body) key.current = { body, id: newRequestKey() }
    void save.save(
      () => answerThread({ place, answers: body, key: key.current.id }),
      (run) => {
        const isAll = answers.length >= (data?.questions.length ?? 0)
        setSent({ run, isAll })
        title.current?.focus() // what had the focus may go
        if (isAll) onAnswered()
      },
    )
  }
  const isOver = sent?.isAll || (data && (data.status === 'idle' || data.status === 'error'))
  return (
    <section
      aria-labelledby="waiting-title"
      className={cn(
        sheetOverList,
        'min-w-0 rounded-lg border bg-panel p-3 max-lg:overflow-y-auto max-lg:rounded-b-none',
      )}
    >
      <header className="mb-3 flex items-start gap-2 max-lg:sticky max-lg:top-0 max-lg:z-10 max-lg:-mx-3 max-lg:-mt-3 max-lg:border-b max-lg:bg-panel max-lg:px-3 max-lg:py-2">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 id="waiting-title" ref={title} tabIndex={-1} className="min-w-0 truncate font-semibold outline-none">
            <span title={name}>{name ?? 'Thread'}</span>
          </h2>
          <IdChip id={thread} what="thread id" className="text-ink-2" />
          <Link className="ml-auto text-accent text-xs underline" href={routes.thread(workspace, deploymentId, thread)}>
            Open thread
          </Link>
        </div>
        <Button asChild size="icon" variant="ghost" className="lg:hidden">
          <Link
            ref={close}
            href={routes.inbox(workspace)}
            replace
            scroll={false}
            aria-label="Close"
            title="Close (Esc)"
          >
            <X aria-hidden />
          </Link>
        </Button>
      </header>
      {sent ? <Sent {...sent} workspace={workspace} deploymentId={deploymentId} /> : null}
      {isOver ? (
        sent ? null : (
          <p className="text-ink-2">This thread is no longer waiting. It was answered or has continued.</p>
        )
      ) : sent ? (
        <Button
          onClick={() => {
            setSent(undefined)
            title.current?.focus()
            retry()
          }}
        >
          Show open questions
        </Button>
      ) : data ? (
        <>
          {error ? <StaleNotice {...error.view} at={dataUpdatedAt} onRetry={retry} /> : null}
          <QueuedNotice queued={save.queued} className="mb-3" />
          <Answers
            questions={data.questions}
            next={data.next}
            marked={marked}
            isBusy={save.isBusy}
            error={save.error}
            linkTo={(interrupt) =>
              window.location.origin +
              withBasePath(routes.inbox(workspace, { deployment: deploymentId, thread, interrupt }))
            }
            onSend={send}
          />
          {save.error?.code === 'conflict' ? (
            <Button className="mt-2" onClick={retry}>
              Show open questions
            </Button>
          ) : null}
        </>
      ) : error ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <div className="space-y-3" aria-busy>
          <Skeleton className="h-5 w-2/3" />
          <LateSkeleton className="h-24 w-full" />
        </div>
      )}
    </section>
  )
}

type SentProps = { run: RecordingSummary; isAll: boolean; workspace: string; deploymentId: string }

const Sent = ({ run, isAll, workspace, deploymentId }: SentProps) => (
  <p
    role="status"
    className="mb-3 flex flex-wrap items-center gap-2 rounded-md border border-ok/30 bg-ok-soft px-3 py-2"
  >
    <CheckCircle2 aria-hidden className="size-4 text-ok" />
    {isAll ? 'Answered.' : 'Answered. Other questions are still open.'}
    <Link className="text-accent underline" href={routes.recording(workspace, deploymentId, run.id)}>
      Watch the run
    </Link>
  </p>
)
