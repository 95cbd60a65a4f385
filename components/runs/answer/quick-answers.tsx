'use client'
import type { RefObject } from 'react'
import { readAsk, type Verb } from '@/lib/stream/answers'
import { type GivenAnswer, shownQuestion } from '@/lib/stream/inbox'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { type AnswerDraft, isTouched, readAnswer } from './answer-draft'
import { QuickVerbs } from './quick-verbs'

type Props = {
  questions: readonly OpenInterrupt[]
  /** The titles of the questions' forms. */
  titles: readonly string[]
  /** The question that comes first, if it is not the first one. */
  marked?: string
  draftOf: (question: OpenInterrupt) => AnswerDraft
  onChange: (question: OpenInterrupt, change: Partial<AnswerDraft>) => void
  /** What the forms are in, and the button that sends several answers. */
  panel: RefObject<HTMLElement | null>
  send: RefObject<HTMLButtonElement | null>
  isBusy: boolean
  reason: string | undefined
  /** Sends the answer to the only question. */
  onAnswer: (answer: GivenAnswer) => void
}

/**
 * One key per decision. The only question is answered with it; of several, the next one without a decision is decided, and all
 * are sent together.
 */
export function QuickAnswers(props: Props) {
  const { questions, titles, marked, draftOf, onChange, panel, send, isBusy, reason, onAnswer } = props
  const isOne = questions.length === 1
  const open = isOne
    ? questions
    : questions.filter((one) => readAsk(one.value).kind !== 'any' && !isTouched(draftOf(one)))
  const question = open.find(({ id }) => id === marked) ?? open[0]
  if (!question) return null
  const { id, value } = question
  const ask = readAsk(value)
  const title = titles[questions.indexOf(question)]

  /** Approving needs nothing more; the others wait for arguments or a reason. */
  function decide(to: OpenInterrupt, verb: Verb) {
    const draft = draftOf(to)
    const actions = draft.actions.map((action) => ({ ...action, verb }))
    const given = readAnswer(ask, { ...draft, mode: 'form', actions })
    onChange(to, { mode: 'form', actions })
    if (verb !== 'approve' || 'problem' in given) {
      const form = `section[aria-label="${title}"]`
      const field = `${form} textarea, ${form} [role="textbox"]`
      setTimeout(() => panel.current?.querySelector<HTMLElement>(field)?.focus())
    } else if (isOne) onAnswer({ id, asked: value, answer: given.answer })
    else if (open.length === 1) setTimeout(() => send.current?.focus())
  }

  function choose(to: OpenInterrupt, choice: string) {
    onChange(to, { mode: 'form', choice })
    if (isOne) onAnswer({ id, asked: value, answer: choice })
    else if (open.length === 1) setTimeout(() => send.current?.focus())
  }
  const verbs = (
    <QuickVerbs
      {...{ ask, isBusy, reason }}
      shown={shownQuestion(question)}
      hasKeysInForm={isOne && draftOf(question).mode === 'form'}
      onVerb={(verb) => decide(question, verb)}
      onChoice={(choice) => choose(question, choice)}
    />
  )
  if (isOne) return verbs
  return (
    <div className="space-y-1">
      <p role="status" className="font-medium text-xs">
        {title}
      </p>
      {verbs}
    </div>
  )
}
