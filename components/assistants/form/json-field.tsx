'use client'
import { useState } from 'react'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { isPlainText, jsonProblemText } from '@/components/shared/json/json-problem'
import { isSameJson, type JsonPath } from '@/lib/json/difference'
import { parseJson } from '@/lib/json/lossless'
import { jsonText, kindOf } from '@/lib/json/value'
import { fieldId, useProblemAt } from './problems'

type Props = {
  path: JsonPath
  label: string
  value: unknown
  onChange: (value: unknown) => void
  /** Validates a parsed value; returns the error. */
  check?: (value: unknown) => string | undefined
  minHeight?: number
  /** Plain words are a text. Says below the field how its content is read. */
  takesText?: boolean
}

/** A part of the draft as JSON text. Invalid text stays as typed, and the draft keeps the last valid value. */
export function JsonField({ path, label, value, onChange, check, minHeight = 72, takesText = false }: Props) {
  const isWords = (text: unknown): text is string => takesText && typeof text === 'string' && isPlainText(text)
  const textOf = (one: unknown) => (one === undefined ? '' : isWords(one) ? one : jsonText(one))
  const [{ text, own }, setText] = useState(() => ({ text: textOf(value), own: value }))
  // The value was changed elsewhere, for example removed.
  if (!isSameJson(value, own)) setText({ text: textOf(value), own: value })
  const { problem, report } = useProblemAt(path)
  const id = fieldId(path)
  const change = (next: string) => {
    const isJson = next.trim() !== '' && !isWords(next)
    const wrong = isJson ? jsonProblemText(next) : undefined
    const read = isWords(next) ? next : isJson && !wrong ? parseJson(next) : undefined
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
        describedBy={takesText ? `${id}-problem ${id}-read` : `${id}-problem`}
        isInvalid={problem !== undefined}
        takesText={takesText}
        minHeight={minHeight}
        maxHeight={360}
      />
      <p id={`${id}-problem`} role="alert" className="text-error text-xs empty:hidden">
        {problem}
      </p>
      {takesText ? (
        <p id={`${id}-read`} className="text-ink-3 text-xs empty:hidden">
          {problem || text.trim() === '' ? null : isWords(text) ? 'Read as text' : `Read as JSON (${kindOf(own)})`}
        </p>
      ) : null}
    </>
  )
}
