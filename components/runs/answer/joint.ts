import { readAsk } from '@/lib/stream/answers'
import type { GivenAnswer, WaitingDetail } from '@/lib/stream/inbox'
import { type AnswerDraft, draftFor, hasActions, readAnswer } from './answer-draft'

type Question = WaitingDetail['questions'][number]

/**
 * A key for questions that accept the same answer: the same choices, actions or schema. Undefined for a thread with several
 * different questions.
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

/** Copies an answer to another question, repeating the decision for each of its actions. */
export const copyOf = (draft: AnswerDraft, own: AnswerDraft): AnswerDraft => ({
  ...draft,
  mode: draft.mode === 'form' ? own.mode : draft.mode,
  actions: own.actions.map((action, at) => {
    const { verb, message } = draft.actions[at] ?? draft.actions[0] ?? action
    return { ...action, verb, message }
  }),
})

/** The same answer for all questions of a thread, or what is missing. */
export function answersFrom(
  draft: AnswerDraft,
  questions: readonly Question[],
): { answers: GivenAnswer[] } | { problem: string } {
  // Edited arguments belong to one question only.
  if (draft.mode === 'form' && draft.actions.some(({ verb }) => verb === 'edit'))
    return { problem: 'Arguments differ between threads. Edit them one by one.' }
  const answers: GivenAnswer[] = []
  for (const question of questions) {
    const own = copyOf(draft, draftFor({ ...question, seq: 0, at: 0 }))
    const read = readAnswer(readAsk(question.value), own)
    if ('problem' in read) return read
    answers.push({ id: question.id, asked: question.value, answer: read.answer })
  }
  return { answers }
}
