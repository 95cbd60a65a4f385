'use client'
import { useState } from 'react'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { jsonProblemText } from '@/components/shared/json/json-problem'
import { isSameJson, type JsonPath } from '@/lib/json/difference'
import { parseJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'
import { fieldId, useProblemAt } from './problems'

type Props = {
  path: JsonPath
  label: string
  value: unknown
  onChange: (value: unknown) => void
  /** Validates a parsed value; returns the error. */
  check?: (value: unknown) => string | undefined
  minHeight?: number
}

const textOf = (value: unknown) => (value === undefined ? '' : jsonText(value))

/** A part of the draft as JSON text. Invalid text stays as typed, and the draft keeps the last valid value. */
export function JsonField({ path, label, value, onChange, check, minHeight = 72 }: Props) {
  const [{ text, own }, setText] = useState(() => ({ text: textOf(value), own: value }))
  // The value was changed elsewhere, for example removed.
  if (!isSameJson(value, own)) setText({ text: textOf(value), own: value })
  const { problem, report } = useProblemAt(path)
  const id = fieldId(path)
  const change = (next: string) => {
    const wrong = next.trim() === '' ? undefined : jsonProblemText(next)
    const read = wrong || next.trim() === '' ? undefined : parseJson(next)
    const refused = wrong ?? (read === undefined ? undefined : check?.(read))
    report(refused)
    setText({ text: next, own: refused ? own : read })
    if (!refused) onChange(read)
  }
  return (
    <>
      <JsonEditor
        label={label}
        value={text}
        onChange={change}
        describedBy={`${id}-problem`}
        isInvalid={problem !== undefined}
        minHeight={minHeight}
        maxHeight={360}
      />
      <p id={`${id}-problem`} role="alert" className="text-error text-xs empty:hidden">
        {problem}
      </p>
    </>
  )
}
