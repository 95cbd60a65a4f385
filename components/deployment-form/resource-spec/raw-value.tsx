'use client'
import { useState } from 'react'
import { jsonProblemText } from '@/components/shared/json/json-problem'
import { Textarea } from '@/components/ui/input'
import { parseJson } from '@/lib/json/lossless'
import { fieldId, useProblem } from './problems'
import { type Path, prettyJson, Unfinished } from './spec-value'

type RawValueProps = { path: Path; label: string; value: unknown; onChange: (value: unknown) => void }

/** Any value as JSON. Invalid text is kept as typed and is `Unfinished` in the draft. */
export function RawValue({ path, label, value, onChange }: RawValueProps) {
  const [typed, setTyped] = useState({ value, text: textOf(value) })
  // The value was changed elsewhere: another item moved here, or the draft was discarded.
  const text = typed.value === value ? typed.text : textOf(value)
  const problem = useProblem(path, { isDeep: true })
  const id = fieldId(path)
  function type(next: string) {
    const read = readText(next)
    setTyped({ value: read, text: next })
    onChange(read)
  }
  return (
    <>
      <Textarea
        id={id}
        aria-label={label}
        aria-invalid={problem ? true : undefined}
        aria-describedby={`${id}-problem`}
        spellCheck={false}
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        className="block min-h-8 resize-y font-mono text-xs"
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      <p id={`${id}-problem`} className="text-error text-xs empty:hidden">
        {problem}
      </p>
    </>
  )
}

const textOf = (value: unknown): string =>
  value instanceof Unfinished ? (typeof value.input === 'string' ? value.input : '') : prettyJson(value)

function readText(text: string): unknown {
  const problem = jsonProblemText(text)
  return problem ? new Unfinished(text, problem) : parseJson(text)
}
