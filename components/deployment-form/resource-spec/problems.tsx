'use client'
import { createContext, useContext } from 'react'
import type { Problem } from './check'
import type { Path } from './spec-value'

const ProblemsContext = createContext<readonly Problem[]>([])

/** The draft's validation errors, from which each field reads its own. */
export const Problems = ProblemsContext

/** The element id of a field's control, from its path in the spec. */
export const fieldId = (path: Path): string => `spec-${path.map((key) => encodeURIComponent(key)).join('/')}`

/** The error of the field at a path; with `isDeep`, also of the fields inside it. */
export function useProblem(path: Path, { isDeep = false } = {}): string | undefined {
  return useContext(ProblemsContext).find((problem) => isWithin(problem.path, path, isDeep))?.message
}

export function useProblemCount(path: Path): number {
  return useContext(ProblemsContext).filter((problem) => isWithin(problem.path, path, true)).length
}

const isWithin = (inner: Path, outer: Path, isDeep: boolean): boolean =>
  (isDeep ? inner.length >= outer.length : inner.length === outer.length) && outer.every((key, at) => inner[at] === key)
