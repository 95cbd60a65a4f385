import { inputSkeleton } from '@/components/runs/start/schema/input-schema'
import { readJson } from '@/components/runs/start/start-request'
import { jsonText } from '@/lib/json/value'
import { type Ask, answerTo, type Decision, readAsk, type Verb } from '@/lib/stream/answers'
import type { OpenInterrupt } from '@/lib/stream/questions'

export type ActionDraft = { verb: Verb | undefined; args: string; message: string }
/** The draft of one answer. */
export type AnswerDraft = {
  /** `form` follows the question's own structure; the other modes accept anything. */
  mode: 'form' | 'text' | 'json'
  actions: readonly ActionDraft[]
  choice: string | undefined
  text: string
  json: string
}
export type ReadAnswer = { answer: unknown } | { problem: string }

export const hasActions = (ask: Ask): ask is Extract<Ask, { actions: unknown }> => 'actions' in ask

export function draftFor(question: OpenInterrupt): AnswerDraft {
  const ask = readAsk(question.value)
  return {
    mode: ask.kind !== 'any' ? 'form' : question.schema ? 'json' : 'text',
    actions: hasActions(ask)
      ? ask.actions.map(({ args }) => ({ verb: undefined, args: jsonText(args ?? {}), message: '' }))
      : [],
    choice: undefined,
    text: '',
    json: question.schema ? jsonText(inputSkeleton(question.schema)) : '',
  }
}

/** Whether anything was entered. Untouched questions stay open when others are answered. */
export const isTouched = (draft: AnswerDraft): boolean =>
  draft.mode === 'form'
    ? draft.choice !== undefined || draft.actions.some(({ verb }) => verb)
    : draft.mode === 'text'
      ? draft.text !== ''
      : draft.json.trim() !== ''

/** The answer, or what is missing. */
export function readAnswer(ask: Ask, draft: AnswerDraft): ReadAnswer {
  if (draft.mode === 'text') return draft.text === '' ? { problem: 'Enter an answer.' } : { answer: draft.text }
  if (draft.mode === 'json') return readValue(draft.json)
  if (!hasActions(ask)) return draft.choice === undefined ? { problem: 'Choose an answer.' } : { answer: draft.choice }
  const decisions: Decision[] = []
  for (const [at, { verb, args, message }] of draft.actions.entries()) {
    const name = ask.actions[at]?.name || `action ${at + 1}`
    if (!verb) return { problem: draft.actions.length > 1 ? `Choose what to do with ${name}.` : 'Choose what to do.' }
    if (verb === 'respond' && message.trim() === '') return { problem: `Enter a reply for ${name}.` }
    if (verb !== 'edit') {
      decisions.push({ verb, message })
      continue
    }
    const edited = readValue(args)
    if ('problem' in edited) return { problem: `Arguments of ${name}: ${edited.problem}` }
    decisions.push({ verb, args: edited.answer })
  }
  return { answer: answerTo(ask, decisions) }
}

function readValue(text: string): ReadAnswer {
  if (text.trim() === '') return { problem: 'Enter an answer as JSON.' }
  const read = readJson(text)
  return 'problem' in read ? read : { answer: read.value }
}
