'use client'
import { useQuery } from '@tanstack/react-query'
import { AlertTriangle, CheckCircle2, XCircle } from 'lucide-react'
import { type ReactNode, useContext, useMemo } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { VisibleText } from '@/components/shared/visible-text'
import { Skeleton } from '@/components/ui/skeleton'
import { Spinner } from '@/components/ui/spinner'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format'
import { assistantGraphQuery } from '@/lib/queries/assistants'
import type { Step } from '@/lib/stream/steps'
import { useMoment } from '../moment'
import { RunPlace } from '../run-place'
import type { RunStore } from '../run-store'
import { useRunVersion } from '../use-run-view'
import { NODE_HEIGHT, NODE_WIDTH, type Placed, type PlacedNode, placeGraph } from './layout'
import { type NodeState, nodeStates } from './node-state'

const STYLES: Record<Step['status'], string> = {
  running: 'border-progress bg-accent-soft ring-2 ring-progress/40',
  done: 'border-ok/60 bg-panel',
  error: 'border-error bg-error-soft',
  interrupted: 'border-warn bg-warn-soft',
}
const ICONS: Record<Step['status'], ReactNode> = {
  running: <Spinner />,
  done: <CheckCircle2 aria-hidden className="size-3.5 text-ok" />,
  error: <XCircle aria-hidden className="size-3.5 text-error" />,
  interrupted: <AlertTriangle aria-hidden className="size-3.5 text-warn" />,
}
const WORDS: Record<Step['status'], string> = {
  running: 'running',
  done: 'done',
  error: 'failed',
  interrupted: 'stopped',
}

/** The assistant's graph with what runs, ran and failed of it. */
export function GraphLens({ store, side }: { store: RunStore; side?: string }) {
  const place = useContext(RunPlace)
  const assistant = place?.assistant ?? ''
  const graph = useQuery({
    ...assistantGraphQuery(place?.workspace ?? '', place?.deployment ?? '', assistant),
    enabled: assistant !== '',
    retry: false,
  })
  const placed = useMemo(() => {
    if (!graph.data) return undefined
    const nodes = graph.data.nodes.map(({ id }) => ({ id: String(id) }))
    const edges = graph.data.edges.map(({ source, target, conditional }) => ({
      from: String(source),
      to: String(target),
      isConditional: conditional === true,
    }))
    return placeGraph(nodes, edges)
  }, [graph.data])
  if (!place)
    return (
      <p className="py-10 text-center text-ink-3 text-sm">
        The graph is drawn as its server tells it, and this recording has none to ask. The steps show the same run.
      </p>
    )
  if (graph.error) return <ErrorNotice error={graph.error.view} onRetry={() => void graph.refetch()} className="m-3" />
  if (!placed) return <Skeleton className="m-3 h-40" />
  return <Drawing placed={placed} store={store} label={side ? `Graph of the ${side.toLowerCase()}` : 'Graph'} />
}

function Drawing({ placed, store, label }: { placed: Placed; store: RunStore; label: string }) {
  const { open } = useMoment()
  useRunVersion(store)
  const { steps } = store.view
  // Steps are changed in place; their version says when.
  const states = useMemo(() => nodeStates(steps), [steps, steps.version])
  return (
    <div className="h-full overflow-auto p-3">
      <section aria-label={label} className="relative mx-auto" style={{ width: placed.width, height: placed.height }}>
        <Edges placed={placed} />
        {placed.nodes.map((node) => (
          <Node key={node.id} node={node} state={states.get(node.id)} onOpen={(seq) => open('steps', seq)} />
        ))}
      </section>
    </div>
  )
}

const Edges = ({ placed }: { placed: Placed }) => (
  <svg aria-hidden className="absolute inset-0 text-line-strong" width={placed.width} height={placed.height}>
    <defs>
      <marker id="run-graph-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0 0 L8 4 L0 8 z" fill="currentColor" />
      </marker>
    </defs>
    {placed.edges.map((edge) => (
      <path
        key={`${edge.from} ${edge.to} ${edge.path}`}
        d={edge.path}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeDasharray={edge.isConditional ? '4 3' : undefined}
        markerEnd="url(#run-graph-arrow)"
      />
    ))}
  </svg>
)

type NodeProps = { node: PlacedNode; state: NodeState | undefined; onOpen: (seq: number) => void }

function Node({ node, state, onOpen }: NodeProps) {
  const { status } = state ?? {}
  const isEnd = node.id === '__start__' || node.id === '__end__'
  const name = isEnd ? (node.id === '__start__' ? 'Start' : 'End') : node.id
  return (
    <button
      type="button"
      disabled={!state?.seq}
      title={state?.seq ? `${name}: show its steps` : name}
      onClick={() => state && onOpen(state.seq)}
      className={cn(
        'absolute flex flex-col justify-center rounded-md border px-2.5 text-left text-xs',
        status ? STYLES[status] : 'border-line-strong bg-panel text-ink-2',
        isEnd && 'rounded-full border-dashed text-center',
        state?.seq ? 'hover:bg-hover' : 'cursor-default',
      )}
      style={{ left: node.x, top: node.y, width: NODE_WIDTH, height: NODE_HEIGHT }}
    >
      <span className={cn('flex w-full items-center gap-1.5', isEnd && 'justify-center')}>
        {status ? ICONS[status] : null}
        <span className="min-w-0 truncate font-medium font-mono">
          <VisibleText>{name}</VisibleText>
        </span>
        {state && state.times > 1 ? <span className="ml-auto text-ink-3">× {count(state.times)}</span> : null}
      </span>
      {status ? (
        <span className="w-full truncate text-2xs text-ink-2">
          {WORDS[status]}
          {state && state.inside.length > 0 ? <VisibleText>{`: ${state.inside.join(', ')}`}</VisibleText> : null}
        </span>
      ) : null}
    </button>
  )
}
