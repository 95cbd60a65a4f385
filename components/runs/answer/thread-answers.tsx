'use client'
import { Play } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { cn } from '@/lib/cn'
import type { ErrorView } from '@/lib/errors'
import type { GivenAnswer } from '@/lib/stream/inbox'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { draftFor, isTouched } from './answer-draft'
import { copyOf } from './joint'
import { QuestionCard } from './question-card'
import { QuickAnswers } from './quick-answers'
import { SendAnswers } from './send-answers'
import { useAnswers } from './use-answers'

export type ThreadAnswersProps = {
  questions: readonly Omit<OpenInterrupt, 'seq' | 'at'>[]
  /** The next nodes if there is no question. */
  next: readonly string[]
  /** The question that the page was opened for. */
  marked?: string
  isBusy: boolean
  error?: ErrorView
  linkTo: (question: string) => string
  /** Empty to continue from a breakpoint. */
  onSend: (answers: GivenAnswer[]) => void
}

/** The open questions of a thread, answered one by one or together. */
export function ThreadAnswers(props: ThreadAnswersProps) {
  const { questions, next, marked, isBusy, error, linkTo, onSend } = props
  const { run: reason } = useReasons()
  const place = useRef<HTMLDivElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const sendButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (marked) place.current?.scrollIntoView({ block: 'center' })
  }, [marked])
  const open = questions.map((question) => ({ ...question, seq: 0, at: 0 }))
  const { draftOf, change, changeAll, read, problem, touched } = useAnswers(open)

  function send(chosen: readonly OpenInterrupt[]) {
    const answers = read(chosen)
    if (answers) onSend(answers)
  }

  if (open.length === 0)
    return (
      <div className="space-y-3">
        <p className="text-ink-2">{next.length > 0 ? `Stopped before ${next.join(', ')}.` : 'No open questions.'}</p>
        {error ? <ErrorNotice error={error} /> : null}
        <Button variant="primary" isBusy={isBusy} reason={reason} onClick={() => onSend([])}>
          <Play aria-hidden />
          Continue
        </Button>
      </div>
    )
  const isOne = open.length === 1
  const titles = open.map((_, at) => (isOne ? 'Question' : `Question ${at + 1} of ${open.length}`))
  return (
    <div ref={panel} className="space-y-3">
      {open.map((question, at) => (
        <div
          key={question.id}
          ref={question.id === marked ? place : undefined}
          className={cn(question.id === marked && !isOne && 'rounded-lg outline-2 outline-accent')}
        >
          <QuestionCard
            question={question}
            title={titles[at] ?? ''}
            draft={draftOf(question)}
            hasKeys={isOne && !reason}
            onChange={(changed) => change(question, changed)}
          >
            {isOne ? null : (
              <div className="flex flex-wrap items-center gap-2">
                <Button size="sm" isBusy={isBusy} reason={reason} onClick={() => send([question])}>
                  Send this answer
                </Button>
                <Button
                  size="sm"
                  variant="ghost"
                  disabled={!isTouched(draftOf(question))}
                  onClick={() => changeAll((one) => copyOf(draftOf(question), draftFor(one)))}
                >
                  Use this answer for all
                </Button>
                <span className="ml-auto">
                  <CopyButton value={linkTo(question.id)} what={`link to question ${at + 1}`} />
                </span>
              </div>
            )}
          </QuestionCard>
        </div>
      ))}
      <QuickAnswers
        {...{ titles, marked, draftOf, panel, isBusy, reason }}
        questions={open}
        send={sendButton}
        onChange={change}
        onAnswer={(answer) => onSend([answer])}
      />
      <SendAnswers
        button={sendButton}
        isOne={isOne}
        answered={touched.length}
        hint={
          isOne
            ? 'Starts a recorded run with your answer.'
            : 'Starts one recorded run with these answers. Other questions stay open.'
        }
        problem={problem}
        error={error}
        isBusy={isBusy}
        reason={reason}
        onSend={() => send(isOne ? open : touched)}
      />
    </div>
  )
}
