'use client'
import { createContext, useContext } from 'react'
import type { JsonPath } from '@/lib/json/difference'

type Problems = {
  problemAt: (path: JsonPath) => string | undefined
  /** Reports that the text at a path is not a valid value; undefined clears it. */
  report: (path: JsonPath, message: string | undefined) => void
}

const ProblemsContext = createContext<Problems>({ problemAt: () => undefined, report: () => {} })
export const DraftProblems = ProblemsContext

/** The problem at a path of the draft, and a function to report one. */
export function useProblemAt(path: JsonPath) {
  const { problemAt, report } = useContext(ProblemsContext)
  return { problem: problemAt(path), report: (message: string | undefined) => report(path, message) }
}

/**
 * The element id of a field's control. Contains no spaces, because attributes such as `aria-describedby` are
 * space-separated lists.
 */
export const fieldId = (path: JsonPath): string =>
  `draft-${path.map((key) => String(key).replace(/[^\w-]/g, (sign) => `_${sign.charCodeAt(0)}`)).join('.')}`
