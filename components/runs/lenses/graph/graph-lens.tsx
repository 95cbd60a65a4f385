'use client'
import { useQuery } from '@tanstack/react-query'
import { AlertTriangle, CheckCircle2, CircleHelp, XCircle } from 'lucide-react'
import { type ContextType, type ReactNode, useContext, useMemo } from 'react'
import { type BreakpointSide, Breakpoints } from '@/components/runs/view/breakpoints'
import { useMoment } from '@/components/runs/view/moment'
import { AtMoment } from '@/components/runs/view/moment-links'
import { RunPlace } from '@/components/runs/view/run-place'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunVersion } from '@/components/runs/view/use-run-view'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { GraphDrawing, type NodeLook } from '@/components/shared/layout/graph-drawing'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Spinner } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { assistantGraphQuery, drawnGraph } from '@/lib/queries/assistants'
import type { Step } from '@/lib/stream/steps'
import { type NodeState, nodeStates } from './node-state'

const STYLES: Record<Step['status'], string> = {
  running: 'border-progress bg-accent-soft ring-2 ring-progress/40',
  done: 'border-ok/60 bg-panel',
  error: 'border-error bg-error-soft',
  interrupted: 'border-warn bg-warn-soft',
  unknown: 'border-line-strong border-dashed bg-panel',
}
const ICONS: Record<Step['status'], ReactNode> = {
  running: <Spinner />,
  done: <CheckCircle2 aria-hidden className="size-3.5 text-ok" />,
  error: <XCircle aria-hidden className="size-3.5 text-error" />,
  interrupted: <AlertTriangle aria-hidden className="size-3.5 text-warn" />,
  unknown: <CircleHelp aria-hidden className="size-3.5 text-ink-3" />,
}
const WORDS: Record<Step['status'], string> = {
  running: 'running',
  done: 'done',
  error: 'failed',
  interrupted: 'stopped',
  unknown: 'unknown',
}

/** The assistant's graph with the state of each node. */
export function GraphLens({ store, side }: { store: RunStore; side?: string }) {
  const place = useContext(RunPlace)
  const assistant = place?.assistant ?? ''
  const graph = useQuery({
    ...assistantGraphQuery(place?.workspace ?? '', place?.deploymentId ?? '', assistant),
    enabled: assistant !== '',
    retry: false,
  })
  const drawn = useMemo(() => graph.data && drawnGraph(graph.data), [graph.data])
  if (!place)
    return (
      <p className="py-10 text-center text-ink-3 text-sm">
        The graph is not available, because this recording has no server. See the steps instead.
      </p>
    )
  if (graph.error) return <ErrorNotice error={graph.error.view} onRetry={() => void graph.refetch()} className="m-3" />
  if (!drawn) return <LateSkeleton className="m-3 h-40" />
  return <Drawing drawn={drawn} store={store} label={side ? `Graph of ${side}` : 'Graph'} />
}

type DrawingProps = { drawn: ReturnType<typeof drawnGraph>; store: RunStore; label: string }

function Drawing({ drawn, store, label }: DrawingProps) {
  const { open, at } = useMoment()
  const setSearch = useSetSearch({ isLocal: true })
  useRunVersion(store)
  const { steps } = store.view
  // Steps are mutated in place; their version signals changes.
  const states = useMemo(() => nodeStates(steps, at), [steps, steps.version, at])
  const breakpoints = useContext(Breakpoints)
  const all = drawn.nodes.map(({ id }) => id).filter((id) => !ENDS.includes(id))
  const looks = (id: string) => {
    const look = lookOf(states.get(id), (seq) => open('steps', seq))
    if (!breakpoints || !all.includes(id)) return look
    const mark = (side: BreakpointSide) => <BreakpointMark {...{ side, breakpoints, all }} node={id} />
    return { ...look, marks: { above: mark('before'), below: mark('after') } }
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      {at === undefined ? null : (
        <p className="shrink-0 border-b px-3 py-1.5">
          <AtMoment seq={at} onLeave={() => setSearch({ at: '' })} />
        </p>
      )}
      {breakpoints ? (
        <p className="shrink-0 border-b px-3 py-1.5 text-ink-2 text-xs">
          Click a corner of a node: the next run stops before or after it.
        </p>
      ) : null}
      <div className="min-h-0 flex-1">
        <GraphDrawing label={label} {...drawn} lookOf={looks} />
      </div>
    </div>
  )
}

const ENDS = ['__start__', '__end__']

type MarkProps = {
  node: string
  side: BreakpointSide
  breakpoints: NonNullable<ContextType<typeof Breakpoints>>
  all: readonly string[]
}

/** Sets or removes a breakpoint. */
function BreakpointMark({ node, side, breakpoints, all }: MarkProps) {
  const isSet = breakpoints.has(node, side)
  return (
    <button
      type="button"
      aria-label={`Stop ${side} ${node}`}
      aria-pressed={isSet}
      title={isSet ? `Stops ${side} ${node}` : `Stop ${side} ${node}`}
      onClick={() => breakpoints.toggle(node, side, all)}
      className="group/mark flex size-5 items-center justify-center rounded-full"
    >
      <span
        className={cn(
          'size-2.5 rounded-full border',
          isSet ? 'border-error bg-error' : 'border-line-strong bg-panel group-hover/mark:border-error',
        )}
      />
    </button>
  )
}

function lookOf(state: NodeState | undefined, onOpen: (seq: number) => void): NodeLook | undefined {
  if (!state) return undefined
  const { status, times, inside, seq } = state
  return {
    ...(status && { className: STYLES[status], icon: ICONS[status] }),
    aside: times > 1 ? <span className="ml-auto text-ink-3">× {count(times)}</span> : null,
    note: status ? (
      <>
        {WORDS[status]}
        {inside.length > 0 ? <VisibleText>{`: ${inside.join(', ')}`}</VisibleText> : null}
      </>
    ) : null,
    ...(seq && { onOpen: () => onOpen(seq) }),
  }
}
