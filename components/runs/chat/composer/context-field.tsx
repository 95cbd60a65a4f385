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
  label: string
  /** What the fields belong to: "this graph’s context". */
  of: string
  schema: Record<string, unknown>
  /** JSON text, or nothing. */
  value: string
  onChange: (value: Record<string, unknown>) => void
}

/** An object that is kept as JSON text, as a form from its schema. */
export function ObjectField({ Form, label, of, schema, value, onChange }: Props) {
  const [isUnfinished, setUnfinished] = useState(false)
  const object = useMemo(() => objectIn(value), [value])
  return (
    <>
      <Form {...{ label, of, schema, onChange }} value={object} onUnfinished={setUnfinished} />
      {isUnfinished ? <p className="mt-1 text-error text-xs">An unfinished field keeps its last valid value.</p> : null}
    </>
  )
}

/** The context of a run; without one, the assistant's own counts. */
export const ContextField = ({
  onChange,
  ...props
}: Omit<Props, 'label' | 'of' | 'onChange'> & { onChange: (value: string) => void }) => (
  <ObjectField
    {...props}
    label="Context"
    of="this graph’s context"
    onChange={(next) => onChange(Object.keys(next).length > 0 ? printJson(next) : '')}
  />
)

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = text.trim() === '' ? {} : parseJson(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
