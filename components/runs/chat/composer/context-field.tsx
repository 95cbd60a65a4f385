'use client'
import { type ComponentType, useMemo, useState } from 'react'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'

/** An object as a form built from its schema, or as JSON. */
export type ContextForm = ComponentType<{
  label?: string
  of?: string
  schema: Record<string, unknown> | undefined
  value: Record<string, unknown>
  onChange: (value: Record<string, unknown>) => void
  onUnfinished: (isUnfinished: boolean) => void
}>

type Props = {
  Form: ContextForm
  schema: Record<string, unknown>
  /** JSON text; empty for the assistant's own context. */
  value: string
  onChange: (value: string) => void
}

/** The context of a run as a form from the graph's schema. */
export function ContextField({ Form, schema, value, onChange }: Props) {
  const [isUnfinished, setUnfinished] = useState(false)
  const object = useMemo(() => objectIn(value), [value])
  return (
    <>
      <Form
        label="Context"
        of="this graph’s context"
        schema={schema}
        value={object}
        onChange={(next) => onChange(Object.keys(next).length > 0 ? printJson(next) : '')}
        onUnfinished={setUnfinished}
      />
      {isUnfinished ? <p className="mt-1 text-error text-xs">An unfinished field keeps its last valid value.</p> : null}
    </>
  )
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = text.trim() === '' ? {} : parseJson(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
