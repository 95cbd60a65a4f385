import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { useAnswers } from './use-answers'

afterEach(cleanup)

const ask = (id: string): OpenInterrupt => ({
  id,
  value: { question: `${id}?` },
  schema: undefined,
  namespace: [],
  seq: 0,
  at: 0,
})
const one = ask('one')
const two = ask('two')
const setUp = () => renderHook(() => useAnswers([one, two])).result

test('answers come with their questions, and untouched questions are left out', () => {
  const answers = setUp()
  act(() => answers.current.change(two, { text: 'yes' }))
  expect(answers.current.touched).toEqual([two])
  expect(answers.current.read([two])).toEqual([{ id: 'two', asked: two.value, answer: 'yes' }])
})

test('a missing answer is a problem until the draft changes', () => {
  const answers = setUp()
  act(() => expect(answers.current.read([one])).toBeUndefined())
  expect(answers.current.problem).toBe('Enter an answer.')
  act(() => answers.current.change(one, { text: 'no' }))
  expect(answers.current.problem).toBeUndefined()
})

test('two changes of one draft before the next render are both kept', () => {
  const answers = setUp()
  act(() => {
    answers.current.change(one, { mode: 'json' })
    answers.current.change(one, { json: '1' })
  })
  expect(answers.current.draftOf(one)).toMatchObject({ mode: 'json', json: '1' })
})

test('all drafts can be replaced at once', () => {
  const answers = setUp()
  act(() => answers.current.changeAll((question) => ({ ...answers.current.draftOf(question), text: question.id })))
  expect(answers.current.read([one, two])?.map(({ answer }) => answer)).toEqual(['one', 'two'])
})
