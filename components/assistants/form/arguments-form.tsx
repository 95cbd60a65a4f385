'use client'
import { useMemo, useRef, useState } from 'react'
import type { JsonPath } from '@/lib/json/difference'
import type { JsonSchema } from '../schema-shape'
import { type Problems, placeName, withProblem } from './draft'
import { DraftProblems } from './problems'
import { SchemaForm } from './schema-form'

export type ArgumentsProps = {
  /** "Arguments", unless it is another object; `of` then names what it belongs to. */
  label?: string
  of?: string
  schema: JsonSchema | undefined
  value: Record<string, unknown>
  onChange: (value: Record<string, unknown>) => void
  /** Whether a field holds text that is not a valid value yet. */
  onUnfinished: (isUnfinished: boolean) => void
}

/** The arguments of a call, as a form built from its schema or as JSON. */
export function ArgumentsForm({
  label = 'Arguments',
  of = 'these arguments',
  schema,
  value,
  onChange,
  onUnfinished,
}: ArgumentsProps) {
  const [unfinished, setUnfinished] = useState<Problems>(new Map())
  // Functional update, because two fields may report in one render.
  const now = useRef(unfinished)
  const problems = useMemo(
    () => ({
      problemAt: (path: JsonPath) => unfinished.get(placeName(path)),
      report: (path: JsonPath, message: string | undefined) => {
        now.current = withProblem(now.current, placeName(path), message)
        setUnfinished(now.current)
        onUnfinished(now.current.size > 0)
      },
    }),
    [unfinished, onUnfinished],
  )
  return (
    <DraftProblems value={problems}>
      <SchemaForm
        label={label}
        of={of}
        schema={schema}
        isPending={false}
        value={value}
        hasUnfinished={unfinished.size > 0}
        onChange={onChange}
      />
    </DraftProblems>
  )
}
