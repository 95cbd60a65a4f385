'use client'
import { CornerDownRight, Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { cn } from '@/lib/cn'
import type { ErrorView } from '@/lib/errors'
import { readAsk } from '@/lib/stream/answers'
import type { GivenAnswer } from '@/lib/stream/inbox'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { type AnswerDraft, draftFor, isTouched, readAnswer } from './answer-draft'
import { copyOf } from './joint'
import { QuestionCard } from './question-card'

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
  const [drafts, setDrafts] = useState<Readonly<Record<string, AnswerDraft>>>({})
  const [problem, setProblem] = useState<string>()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (marked) place.current?.scrollIntoView({ block: 'center' })
  }, [marked])
  const open = questions.map((question) => ({ ...question, seq: 0, at: 0 }))
  const draftOf = (question: OpenInterrupt) => drafts[question.id] ?? draftFor(question)

  function send(chosen: readonly OpenInterrupt[]) {
    const answers: GivenAnswer[] = []
    for (const question of chosen) {
      const read = readAnswer(readAsk(question.value), draftOf(question))
      if ('problem' in read) return setProblem(read.problem)
      answers.push({ id: question.id, asked: question.value, answer: read.answer })
    }
    setProblem(undefined)
    onSend(answers)
  }
  function giveToAll(draft: AnswerDraft) {
    setProblem(undefined)
    setDrafts(Object.fromEntries(open.map((one) => [one.id, copyOf(draft, draftFor(one))])))
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
  const touched = open.filter((question) => isTouched(draftOf(question)))
  const isOne = open.length === 1
  return (
    <div className="space-y-3">
      {open.map((question, at) => (
        <div
          key={question.id}
          ref={question.id === marked ? place : undefined}
          className={cn(question.id === marked && !isOne && 'rounded-lg outline-2 outline-accent')}
        >
          <QuestionCard
            question={question}
            title={isOne ? 'Question' : `Question ${at + 1} of ${open.length}`}
            draft={draftOf(question)}
            onChange={(change) => {
              setProblem(undefined)
              setDrafts((now) => ({ ...now, [question.id]: { ...draftOf(question), ...now[question.id], ...change } }))
            }}
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
                  onClick={() => giveToAll(draftOf(question))}
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
      <div role="alert" className="text-error text-sm empty:hidden">
        {problem}
      </div>
      {error ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant="primary"
          isBusy={isBusy}
          reason={reason ?? (isOne || touched.length > 0 ? undefined : 'Answer at least one question.')}
          onClick={() => send(isOne ? open : touched)}
        >
          <CornerDownRight aria-hidden />
          {isOne ? 'Send answer' : touched.length < 2 ? 'Send answers' : `Send ${touched.length} answers`}
        </Button>
        <span className="text-ink-3 text-xs">
          {isOne
            ? 'Starts a recorded run with your answer.'
            : 'Starts one recorded run with these answers. Other questions stay open.'}
        </span>
      </div>
    </div>
  )
}
