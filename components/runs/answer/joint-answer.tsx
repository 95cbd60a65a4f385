'use client'
import { useState } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'
import { askLine, type GivenAnswer, type WaitingDetail } from '@/lib/stream/inbox'
import { type AnswerDraft, draftFor } from './answer-draft'
import { answersFrom, kindOf } from './joint'
import { QuestionCard } from './question-card'

type Thread = { id: string; questions: WaitingDetail['questions'] }

export type JointAnswerProps = {
  /** The threads with their open interrupts. */
  threads: readonly Thread[]
  /** Called with the answers to review, for threads with the same questions. */
  onReview: (answers: { id: string; answers: GivenAnswer[] }[]) => void
  onCancel: () => void
}

/** One answer for several threads with the same question. If questions differ, the user chooses a group. */
export function JointAnswer({ threads, onReview, onCancel }: JointAnswerProps) {
  const groups = groupsOf(threads)
  const [chosen, setChosen] = useState(0)
  const [drafts, setDrafts] = useState<Readonly<Record<number, AnswerDraft>>>({})
  const [problem, setProblem] = useState<string>()
  const group = groups[chosen]
  const first = group?.[0]?.questions[0]
  const question = first && { ...first, seq: 0, at: 0 }
  const draft = drafts[chosen] ?? (question && draftFor(question))
  const without = threads.length - groups.flat().length
  function review() {
    const all: { id: string; answers: GivenAnswer[] }[] = []
    for (const { id, questions } of group ?? []) {
      const read = draft ? answersFrom(draft, questions) : { answers: [] }
      if ('problem' in read) return setProblem(read.problem)
      all.push({ id, answers: read.answers })
    }
    onReview(all)
  }
  return (
    <div className="space-y-3">
      {groups.length > 1 ? (
        <fieldset className="space-y-1">
          <legend className="mb-1 text-ink-2 text-sm">These threads ask different questions. Answer together:</legend>
          {groups.map((one, at) => (
            <label key={one[0]?.id} className="flex items-center gap-2 text-sm">
              <input
                type="radio"
                name="joint-group"
                className="accent-accent"
                checked={at === chosen}
                onChange={() => {
                  setProblem(undefined)
                  setChosen(at)
                }}
              />
              <span className="min-w-0 break-words">
                <VisibleText>{`${threadsOf(one)}: ${labelOf(one)}`}</VisibleText>
              </span>
            </label>
          ))}
        </fieldset>
      ) : null}
      {without > 0 ? (
        <p className="text-ink-2 text-xs">
          {without === 1 ? 'One thread asks' : `${without} threads ask`} several questions and must be answered on its
          own.
        </p>
      ) : null}
      {question && draft ? (
        <QuestionCard
          key={chosen}
          question={question}
          title={(group?.length ?? 0) > 1 ? `Question (first of ${threadsOf(group ?? [])})` : 'Question'}
          draft={draft}
          onChange={(change) => {
            setProblem(undefined)
            setDrafts((now) => ({ ...now, [chosen]: { ...draft, ...change } }))
          }}
        />
      ) : group ? (
        <p className="text-ink-2">These threads stopped at breakpoints. All will continue.</p>
      ) : (
        <p className="text-ink-2">These threads cannot be answered together.</p>
      )}
      <div role="alert" className="text-error text-sm empty:hidden">
        {problem}
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="primary" disabled={!group} onClick={review}>
          Review {threadsOf(group ?? [])}
        </Button>
      </div>
    </div>
  )
}

const threadsOf = ({ length }: readonly Thread[]) => (length === 1 ? 'one thread' : `${count(length)} threads`)
const labelOf = ([first]: readonly Thread[]) =>
  first && first.questions.length > 0 ? askLine(first.questions[0]?.value) : 'stopped at a breakpoint'

/** Threads grouped by question, largest group first. */
function groupsOf(threads: readonly Thread[]): Thread[][] {
  const groups = new Map<string, Thread[]>()
  for (const thread of threads) {
    const kind = kindOf(thread.questions)
    if (kind !== undefined) groups.set(kind, [...(groups.get(kind) ?? []), thread])
  }
  return [...groups.values()].sort((left, right) => right.length - left.length)
}
