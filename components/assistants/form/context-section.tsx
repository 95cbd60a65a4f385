'use client'
import { useMemo, useState } from 'react'
import { Skeleton } from '@/components/ui/skeleton'
import { Tabs } from '@/components/ui/tabs'
import { isJsonObject } from '@/lib/contracts/json'
import { type JsonSchema, shapeOf } from '../schema-shape'
import { JsonField } from './json-field'
import { ObjectFields } from './object-fields'

type Props = {
  schema: JsonSchema | undefined
  isPending: boolean
  value: Record<string, unknown>
  /** Something typed is no value yet, and would be lost with its field. */
  hasUnfinished: boolean
  onChange: (context: Record<string, unknown>) => void
}

/** The context as a form drawn from its schema, or as the JSON that it is: two views of one draft. */
export function ContextSection({ schema, isPending, value, hasUnfinished, onChange }: Props) {
  const shape = useMemo(() => shapeOf(schema), [schema])
  const [chosen, setView] = useState<string>()
  const [isBlocked, setBlocked] = useState(false)
  const fields = shape.kind === 'object' ? shape.fields : []
  const view = chosen ?? (fields.length > 0 || isPending ? 'form' : 'json')
  const show = (next: string) => {
    setBlocked(hasUnfinished)
    if (!hasUnfinished) setView(next)
  }
  return (
    <section aria-label="Context" className="min-w-0 rounded-lg border bg-panel p-4">
      <h3 className="font-semibold text-sm">Context</h3>
      <p className="mb-2 text-ink-2 text-xs">
        What the graph reads at each run. It is saved whole: what is not here is not set.
      </p>
      <Tabs
        label="Views of the context"
        value={view}
        onValueChange={show}
        tabs={[
          { value: 'form', label: 'Form' },
          { value: 'json', label: 'JSON' },
        ]}
      >
        {isBlocked && hasUnfinished ? (
          <p role="alert" className="mb-3 text-error text-xs">
            Finish what is marked in red first: it is no value yet.
          </p>
        ) : null}
        {view === 'json' ? (
          <JsonField
            path={['context']}
            label="Context as JSON"
            value={value}
            minHeight={280}
            check={(next) => (isJsonObject(next) ? undefined : 'Write a JSON object: it begins with {.')}
            onChange={(next) => onChange(isJsonObject(next) ? next : {})}
          />
        ) : isPending ? (
          <Skeleton className="h-48" />
        ) : fields.length === 0 ? (
          <p className="text-ink-3 text-sm">
            The server tells no fields of this graph’s context, so there is nothing to draw. Write it as JSON.
          </p>
        ) : (
          <ObjectFields fields={fields} path={['context']} value={value} onChange={onChange} />
        )}
      </Tabs>
    </section>
  )
}
