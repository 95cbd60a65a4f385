'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { GraphDrawing } from '@/components/shared/layout/graph-drawing'
import { Checkbox } from '@/components/ui/checkbox'
import { Skeleton } from '@/components/ui/loading'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { count } from '@/lib/format/format'
import { assistantGraphQuery, drawnGraph } from '@/lib/queries/assistants'

/** The assistant's graph with its subgraphs. */
export function GraphTab({ workspace, deploymentId, assistant }: AssistantPlace) {
  const [isDeep, setDeep] = useState(true)
  const whole = useQuery({ ...assistantGraphQuery(workspace, deploymentId, assistant, { xray: true }), retry: false })
  // Some servers cannot return subgraphs.
  const isRefused = whole.error !== null && whole.error.code !== 'upstream_unreachable'
  const plain = useQuery({
    ...assistantGraphQuery(workspace, deploymentId, assistant),
    retry: false,
    enabled: !isDeep || isRefused,
  })
  const shown = isDeep && !isRefused ? whole : plain
  const drawn = useMemo(() => shown.data && drawnGraph(shown.data), [shown.data])
  if (shown.error)
    return ['not_found', 'unsupported'].includes(shown.error.code) ? (
      <EmptyState title="No graph">This server does not provide graph drawings.</EmptyState>
    ) : (
      <ErrorNotice error={shown.error.view} onRetry={() => void shown.refetch()} />
    )
  if (!drawn) return <Skeleton className="h-64" />
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2 text-xs">
        <Checkbox
          label="Show subgraphs"
          checked={isDeep && !isRefused}
          disabled={isRefused}
          onChange={({ target }) => setDeep(target.checked)}
        />
        <span>
          {count(drawn.nodes.length)} nodes, {count(drawn.edges.length)} edges; dashed edges are conditional.
        </span>
        {isRefused ? <span>This server does not show subgraphs.</span> : null}
      </div>
      <div className="overflow-hidden rounded-lg border bg-panel">
        <GraphDrawing label="Graph" {...drawn} />
      </div>
      <details className="text-xs">
        <summary className="cursor-pointer text-ink-2">As a list</summary>
        <ul aria-label="Edges" className="mt-2 columns-1 gap-x-8 font-mono text-ink-2 sm:columns-2 lg:columns-3">
          {drawn.edges.map(({ from, to, isConditional }) => (
            <li key={`${from} ${to}`}>
              {from} → {to}
              {isConditional ? ' (conditional)' : ''}
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}
