'use client'
import { Play } from 'lucide-react'
import { useRef } from 'react'
import { answerRequest, continueRequest } from '@/components/runs/start/recorded-request'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import type { RecordingSummary } from '@/lib/stream/log'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { QuestionCard } from './question-card'
import { QuickAnswers } from './quick-answers'
import { SendAnswers } from './send-answers'
import { useAnswers } from './use-answers'
import { useGoOn } from './use-go-on'

type Props = {
  summary: RecordingSummary
  thread: string | null
  questions: readonly OpenInterrupt[]
  /** The next nodes if the run stopped at a breakpoint without a question. */
  next: readonly string[]
  isContinued: boolean
}

/** The open questions of a run, answered one by one or together, or a button to continue. */
export function AnswerPanel({ summary, thread, questions, next, isContinued }: Props) {
  const { run: reason } = useReasons()
  const { goOn, error, isBusy, queued } = useGoOn(summary, thread)
  const { draftOf, change, read, problem, touched } = useAnswers(questions)
  const panel = useRef<HTMLDivElement>(null)
  const sendButton = useRef<HTMLButtonElement>(null)

  function send(chosen: readonly OpenInterrupt[]) {
    const answers = read(chosen)?.map(({ id, answer }) => ({ id, answer }))
    if (answers) void goOn(answerRequest(summary.request, summary.assistant, answers, questions.length))
  }

  if (!thread)
    return (
      <Frame title="Cannot be answered">
        <p className="text-ink-2 text-sm">
          The graph {questions.length > 0 ? 'asked a question' : `stopped before ${next.join(', ')}`}, but a stateless
          run keeps no thread to continue. Run again on a thread to answer.
        </p>
      </Frame>
    )
  if (isContinued)
    return (
      <Frame title="Already continued">
        <p className="text-ink-2 text-sm">The thread has continued since this question.</p>
      </Frame>
    )
  if (questions.length === 0)
    return (
      <Frame title={`Stopped before ${next.join(', ')}`}>
        {error ? <ErrorNotice error={error} /> : null}
        <QueuedNotice queued={queued} />
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
  const isOne = questions.length === 1
  const titles = questions.map((_, at) => (isOne ? 'Question' : `Question ${at + 1}`))
  return (
    <Frame title={isOne ? 'Needs input' : `Needs input: ${questions.length} questions`}>
      <div ref={panel} className="space-y-3">
        {questions.map((question, at) => (
          <QuestionCard
            key={question.id}
            question={question}
            title={titles[at] ?? ''}
            draft={draftOf(question)}
            hasKeys={isOne && !reason}
            onChange={(changed) => change(question, changed)}
          >
            {isOne ? null : (
              <Button size="sm" isBusy={isBusy} reason={reason} onClick={() => send([question])}>
                Send this answer
              </Button>
            )}
          </QuestionCard>
        ))}
      </div>
      <QuickAnswers
        {...{ questions, titles, draftOf, panel, isBusy, reason }}
        send={sendButton}
        onChange={change}
        onAnswer={({ id, answer }) => void goOn(answerRequest(summary.request, summary.assistant, [{ id, answer }], 1))}
      />
      <QueuedNotice queued={queued} />
      <SendAnswers
        button={sendButton}
        isOne={isOne}
        answered={touched.length}
        hint={
          isOne
            ? 'Starts a new run with your answer.'
            : 'Starts a new run with these answers. Other questions stay open.'
        }
        problem={problem}
        error={error}
        isBusy={isBusy}
        reason={reason}
        onSend={() => send(isOne ? questions : touched)}
      />
    </Frame>
  )
}

const Frame = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section aria-label={title} className="mb-3 space-y-3 rounded-lg border border-accent/40 bg-accent-soft/50 p-3">
    <h2 className="font-semibold text-sm">{title}</h2>
    {children}
  </section>
)
