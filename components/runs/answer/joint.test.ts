import { expect, test } from 'vitest'
import type { WaitingDetail } from '@/lib/stream/inbox'
import { draftFor } from './answer-draft'
import { answersFrom, kindOf } from './joint'

type Question = WaitingDetail['questions'][number]
const asked = (id: string, value: unknown, schema?: Record<string, unknown>): Question => ({
  id,
  value,
  schema,
  namespace: [],
})
const review = (id: string, ...args: unknown[]) =>
  asked(id, {
    action_requests: args.map((one) => ({ name: 'send', args: one })),
    review_configs: [{ action_name: 'send', allowed_decisions: ['approve', 'reject'] }],
  })

test('threads are grouped by possible answers, not by the text of the question', () => {
  expect(kindOf([asked('a', { question: 'One?', options: ['y', 'n'] })])).toBe(
    kindOf([asked('b', { question: 'Two?', options: ['y', 'n'] }), asked('c', { options: ['y', 'n'] })]),
  )
  expect(kindOf([asked('a', { options: ['y', 'n'] })])).not.toBe(kindOf([asked('a', { options: ['y'] })]))
  expect(kindOf([review('a', 1)])).toBe(kindOf([review('b', 2, 3)]))
  expect(kindOf([asked('a', 'Name?')])).toBe(kindOf([asked('b', { any: 'thing' })]))
  expect(kindOf([asked('a', 'Name?')])).not.toBe(kindOf([asked('a', 'Name?', { type: 'object' })]))
  expect(kindOf([asked('a', 'Name?'), asked('b', { options: ['y'] })])).toBeUndefined()
  expect(kindOf([])).toBe('breakpoint')
})

test('one decision applies to each action of each question', () => {
  const first = review('a', 1)
  const draft = {
    ...draftFor({ ...first, seq: 0, at: 0 }),
    actions: [{ verb: 'approve' as const, args: '1', message: '' }],
  }
  const other = review('b', { to: 'ann' }, { to: 'bob' })
  expect(answersFrom(draft, [other])).toEqual({
    answers: [{ id: 'b', asked: other.value, answer: { decisions: [{ type: 'approve' }, { type: 'approve' }] } }],
  })
})

test('edited arguments and missing answers cannot be shared', () => {
  const question = review('a', 1)
  const draft = draftFor({ ...question, seq: 0, at: 0 })
  expect(answersFrom(draft, [question])).toHaveProperty('problem')
  const edited = { ...draft, actions: [{ verb: 'edit' as const, args: '{}', message: '' }] }
  expect(answersFrom(edited, [question])).toMatchObject({ problem: expect.stringContaining('one by one') })
})
