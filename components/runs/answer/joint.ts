import { readAsk } from '@/lib/stream/answers'
import type { GivenAnswer, WaitingDetail } from '@/lib/stream/inbox'
import { type AnswerDraft, draftFor, hasActions, readAnswer } from './answer-draft'

type Question = WaitingDetail['questions'][number]

/**
 * What can be answered in the same words, as a text to compare: the same choices, decisions about the same actions, or an
 * answer to the same schema. Undefined for a thread whose own questions differ.
 */
export function kindOf(questions: readonly Question[]): string | undefined {
  const kinds = new Set(questions.map(kindOfOne))
  return kinds.size > 1 ? undefined : ([...kinds][0] ?? 'breakpoint')
}

function kindOfOne({ value, schema }: Question): string {
  const ask = readAsk(value)
  if (hasActions(ask)) {
    const actions = new Set(ask.actions.map(({ name, verbs }) => JSON.stringify([name, [...verbs].sort()])))
    return JSON.stringify([ask.kind, [...actions].sort()])
  }
  return JSON.stringify(ask.kind === 'choice' ? [ask.kind, ask.options] : [ask.kind, schema ?? null])
}

/** One question's answer as another's: the same words, and the same decision about as many actions as that one has. */
export const copyOf = (draft: AnswerDraft, own: AnswerDraft): AnswerDraft => ({
  ...draft,
  mode: draft.mode === 'form' ? own.mode : draft.mode,
  actions: own.actions.map((action, at) => {
    const { verb, message } = draft.actions[at] ?? draft.actions[0] ?? action
    return { ...action, verb, message }
  }),
})

/** The same answer to all questions of a thread, or what it still lacks. */
export function answersFrom(
  draft: AnswerDraft,
  questions: readonly Question[],
): { answers: GivenAnswer[] } | { problem: string } {
  // What is edited belongs to one question: the arguments of another one are others.
  if (draft.mode === 'form' && draft.actions.some(({ verb }) => verb === 'edit'))
    return { problem: 'Arguments differ from thread to thread: edit them one by one.' }
  const answers: GivenAnswer[] = []
  for (const question of questions) {
    const own = copyOf(draft, draftFor({ ...question, seq: 0, at: 0 }))
    const read = readAnswer(readAsk(question.value), own)
    if ('problem' in read) return read
    answers.push({ id: question.id, asked: question.value, answer: read.answer })
  }
  return { answers }
}
