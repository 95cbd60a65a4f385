'use client'
import { useQuery } from '@tanstack/react-query'
import { CornerDownRight, Play } from 'lucide-react'
import { useState } from 'react'
import { answerRequest, continueRequest } from '@/components/runs/start/recorded-request'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { threadsQuery } from '@/lib/queries/threads'
import { readAsk } from '@/lib/stream/answers'
import type { RecordingSummary } from '@/lib/stream/log'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { type AnswerDraft, draftFor, isTouched, readAnswer } from './answer-draft'
import { QuestionCard } from './question-card'
import { useGoOn } from './use-go-on'

type Props = {
  summary: RecordingSummary
  thread: string | null
  questions: readonly OpenInterrupt[]
  /** The next nodes if the run stopped at a breakpoint without a question. */
  next: readonly string[]
}

/** The open questions of a run, answered one by one or together, or a button to continue. */
export function AnswerPanel({ summary, thread, questions, next }: Props) {
  const { run: reason } = useReasons()
  const { goOn, error, isBusy } = useGoOn(summary, thread)
  const [drafts, setDrafts] = useState<Readonly<Record<string, AnswerDraft>>>({})
  const [problem, setProblem] = useState<string>()
  const open = useStillOpen(summary, thread, questions)
  const draftOf = (question: OpenInterrupt) => drafts[question.id] ?? draftFor(question)

  function send(chosen: readonly OpenInterrupt[]) {
    const answers: { id: string; answer: unknown }[] = []
    for (const question of chosen) {
      const read = readAnswer(readAsk(question.value), draftOf(question))
      if ('problem' in read) return setProblem(read.problem)
      answers.push({ id: question.id, answer: read.answer })
    }
    setProblem(undefined)
    void goOn(answerRequest(summary.request, summary.assistant, answers, questions.length))
  }

  if (!thread)
    return (
      <Frame title="Needs input">
        <p className="text-ink-2 text-sm">
          A stateless run cannot be continued. Start it on a thread to answer its questions.
        </p>
      </Frame>
    )
  if (open === 'answered')
    return (
      <Frame title="Already answered">
        <p className="text-ink-2 text-sm">The thread has continued since this question.</p>
      </Frame>
    )
  if (questions.length === 0)
    return (
      <Frame title={`Stopped before ${next.join(', ')}`}>
        {error ? <ErrorNotice error={error} /> : null}
        <Button
          variant="primary"
          isBusy={isBusy}
          reason={reason}
          onClick={() => void goOn(continueRequest(summary.request, summary.assistant))}
        >
          <Play aria-hidden />
          Continue
        </Button>
      </Frame>
    )
  const touched = questions.filter((question) => isTouched(draftOf(question)))
  const isOne = questions.length === 1
  return (
    <Frame title={isOne ? 'Needs input' : `Needs input: ${questions.length} questions`}>
      {questions.map((question, at) => (
        <QuestionCard
          key={question.id}
          question={question}
          title={isOne ? 'Question' : `Question ${at + 1}`}
          draft={draftOf(question)}
          onChange={(change) => {
            setProblem(undefined)
            setDrafts((now) => ({ ...now, [question.id]: { ...draftOf(question), ...now[question.id], ...change } }))
          }}
        >
          {isOne ? null : (
            <Button size="sm" isBusy={isBusy} reason={reason} onClick={() => send([question])}>
              Send this answer
            </Button>
          )}
        </QuestionCard>
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
          onClick={() => send(isOne ? questions : touched)}
        >
          <CornerDownRight aria-hidden />
          {isOne ? 'Send answer' : touched.length < 2 ? 'Send answers' : `Send ${touched.length} answers`}
        </Button>
        <span className="text-ink-3 text-xs">
          {isOne
            ? 'Starts a new run with your answer.'
            : 'Starts a new run with these answers. Other questions stay open.'}
        </span>
      </div>
    </Frame>
  )
}

const Frame = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section aria-label={title} className="mb-3 space-y-3 rounded-lg border border-accent/40 bg-accent-soft/50 p-3">
    <h2 className="font-semibold text-sm">{title}</h2>
    {children}
  </section>
)

/**
 * Whether the thread still has this run's open questions, because the recording keeps them even after an answer. Unknown counts
 * as open; the server rejects a second answer.
 */
function useStillOpen(
  { workspace, deployment: deploymentId }: RecordingSummary,
  thread: string | null,
  questions: readonly OpenInterrupt[],
): 'open' | 'answered' {
  const found = useQuery({
    ...threadsQuery(workspace, deploymentId, {
      ids: thread ? [thread] : [],
      select: ['thread_id', 'status', 'interrupts'],
      limit: 1,
    }),
    enabled: thread !== null,
    retry: false,
    staleTime: 0,
  })
  const now = found.data?.[0]
  // Right after the run's end the server's record may lag behind.
  if (!now || now.thread_id !== thread || now.status === 'busy') return 'open'
  if (now.status === 'idle') return 'answered'
  const ids = Object.values(now.interrupts ?? {}).flatMap((list) => list.map(({ id }) => id))
  return questions.length > 0 && ids.length > 0 && !questions.some(({ id }) => ids.includes(id)) ? 'answered' : 'open'
}
