'use client'
import { createContext, useContext } from 'react'
import type { JsonPath } from '@/lib/json/difference'

type Problems = {
  problemAt: (path: JsonPath) => string | undefined
  /** Says that what is typed at a place is no value yet; undefined when it is one. */
  report: (path: JsonPath, message: string | undefined) => void
}

const ProblemsContext = createContext<Problems>({ problemAt: () => undefined, report: () => {} })
export const DraftProblems = ProblemsContext

/** What is wrong at a place of the draft, and how a field says that what is typed in it is no value yet. */
export function useProblemAt(path: JsonPath) {
  const { problemAt, report } = useContext(ProblemsContext)
  return { problem: problemAt(path), report: (message: string | undefined) => report(path, message) }
}

/** The id of a place's control; an attribute that names several ids parts them by blanks, so there are none in it. */
export const fieldId = (path: JsonPath): string =>
  `draft-${path.map((key) => String(key).replace(/[^\w-]/g, (sign) => `_${sign.charCodeAt(0)}`)).join('.')}`
