'use client'
import { useState } from 'react'
import { readAsk } from '@/lib/stream/answers'
import type { GivenAnswer } from '@/lib/stream/inbox'
import type { OpenInterrupt } from '@/lib/stream/questions'
import { type AnswerDraft, draftFor, isTouched, readAnswer } from './answer-draft'

/** The drafts of several questions, and what is missing in them. */
export function useAnswers(questions: readonly OpenInterrupt[]) {
  const [drafts, setDrafts] = useState<Readonly<Record<string, AnswerDraft>>>({})
  const [problem, setProblem] = useState<string>()
  const draftOf = (question: OpenInterrupt) => drafts[question.id] ?? draftFor(question)

  function change(question: OpenInterrupt, changed: Partial<AnswerDraft>) {
    setProblem(undefined)
    setDrafts((now) => ({ ...now, [question.id]: { ...draftOf(question), ...now[question.id], ...changed } }))
  }
  function changeAll(draftFrom: (question: OpenInterrupt) => AnswerDraft) {
    setProblem(undefined)
    setDrafts(Object.fromEntries(questions.map((question) => [question.id, draftFrom(question)])))
  }
  /** The answers to these questions; undefined if one is missing, which `problem` then says. */
  function read(chosen: readonly OpenInterrupt[]): GivenAnswer[] | undefined {
    const answers: GivenAnswer[] = []
    for (const question of chosen) {
      const one = readAnswer(readAsk(question.value), draftOf(question))
      if ('problem' in one) {
        setProblem(one.problem)
        return undefined
      }
      answers.push({ id: question.id, asked: question.value, answer: one.answer })
    }
    setProblem(undefined)
    return answers
  }
  const touched = questions.filter((question) => isTouched(draftOf(question)))
  return { draftOf, change, changeAll, read, problem, touched }
}
