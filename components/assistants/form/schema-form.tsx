'use client'
import { useMemo, useState } from 'react'
import { Skeleton } from '@/components/ui/loading'
import { Tabs } from '@/components/ui/tabs'
import { isRecord } from '@/lib/json/guards'
import { isUntyped, type JsonSchema, shapeOf } from '../schema-shape'
import { JsonField } from './json-field'
import { ObjectFields } from './object-fields'

type Props = {
  /** The label of the value: "Context". */
  label: string
  /** What the fields belong to: "this graph’s context". */
  of: string
  schema: JsonSchema | undefined
  isPending: boolean
  value: Record<string, unknown>
  /** Whether a field holds invalid text, which switching views would lose. */
  hasUnfinished: boolean
  onChange: (value: Record<string, unknown>) => void
}

/** An object as a form built from its schema, or as JSON; both edit the same draft. */
export function SchemaForm({ label, of, schema, isPending, value, hasUnfinished, onChange }: Props) {
  const shape = useMemo(() => shapeOf(schema), [schema])
  const [chosen, setView] = useState<string>()
  const [isBlocked, setBlocked] = useState(false)
  const fields = shape.kind === 'object' ? shape.fields : []
  const view = chosen ?? (fields.length > 0 || isPending ? 'form' : 'json')
  const place = [label.toLowerCase()]
  const show = (next: string) => {
    setBlocked(hasUnfinished)
    if (!hasUnfinished) setView(next)
  }
  return (
    <Tabs
      label={`Views of the ${label.toLowerCase()}`}
      value={view}
      onValueChange={show}
      tabs={[
        { value: 'form', label: 'Form' },
        { value: 'json', label: 'JSON' },
      ]}
    >
      {isBlocked && hasUnfinished ? (
        <p role="alert" className="mb-3 text-error text-xs">
          Fix the highlighted fields.
        </p>
      ) : null}
      {view === 'json' ? (
        <JsonField
          path={place}
          label={`${label} as JSON`}
          value={value}
          minHeight={280}
          check={(next) => (isRecord(next) ? undefined : 'Enter a JSON object.')}
          onChange={(next) => onChange(isRecord(next) ? next : {})}
        />
      ) : isPending ? (
        <Skeleton className="h-48" />
      ) : fields.length === 0 ? (
        <p className="text-ink-3 text-sm">The server provides no schema for {of}. Enter it as JSON.</p>
      ) : (
        <>
          {schema && isUntyped(schema) ? (
            <p className="mb-3 text-ink-3 text-sm">
              The server gives no types for {of}. For a graph in TypeScript, the build log says why.
            </p>
          ) : null}
          <ObjectFields fields={fields} path={place} value={value} onChange={onChange} />
        </>
      )}
    </Tabs>
  )
}
