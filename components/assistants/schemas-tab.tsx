'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { JsonTree } from '@/components/shared/json/json-tree'
import { Select } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/loading'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { assistantSchemasQuery } from '@/lib/queries/assistants'
import { SchemaTable } from './schema-table'

const PARTS = [
  ['context_schema', 'Context', 'settings of an assistant'],
  ['input_schema', 'Input', 'input of a run'],
  ['output_schema', 'Output', 'output of a run'],
  ['state_schema', 'State', 'state of a thread'],
  ['config_schema', 'Configuration', 'older form of context'],
] as const

/** The schemas of the assistant's graph, as a table of fields or as JSON. */
export function SchemasTab({ workspace, deploymentId, assistant }: AssistantPlace) {
  const query = useQuery({ ...assistantSchemasQuery(workspace, deploymentId, assistant), retry: false })
  const [part, setPart] = useState<(typeof PARTS)[number][0]>('context_schema')
  if (query.error)
    return ['not_found', 'unsupported'].includes(query.error.code) ? (
      <EmptyState title="No schemas">This server does not provide schemas.</EmptyState>
    ) : (
      <ErrorNotice error={query.error.view} onRetry={() => void query.refetch()} />
    )
  if (!query.data) return <Skeleton className="h-64" />
  const schema = query.data[part]
  return (
    <div className="flex flex-col gap-3">
      <Select
        aria-label="Schema"
        className="w-auto self-start"
        value={part}
        onChange={({ target }) => setPart(target.value as typeof part)} // one of the options below
      >
        {PARTS.map(([value, label, hint]) => (
          <option key={value} value={value}>
            {label}: {hint}
          </option>
        ))}
      </Select>
      {schema ? (
        <div className="grid items-start gap-3 lg:grid-cols-2">
          <SchemaTable schema={schema} />
          <section aria-label="Schema as JSON" className="min-w-0 overflow-hidden rounded-lg border bg-panel">
            <h3 className="border-b px-3 py-2 font-semibold text-sm">As JSON</h3>
            <JsonTree value={schema} label="Schema as JSON" className="max-h-[36rem]" />
          </section>
        </div>
      ) : (
        <div className="rounded-lg border bg-panel">
          <EmptyState title="No schema">The server does not provide this schema.</EmptyState>
        </div>
      )}
    </div>
  )
}
