'use client'

import { CircleHelp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { JsonRows } from '@/components/shared/json/json-tree'
import { Figure } from '@/components/shared/layout/section-header'
import { IdChip } from '@/components/shared/text/id-chip'
import { LongText } from '@/components/shared/text/long-text'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import type { Interrupt, ThreadState as State } from '@/lib/contracts/agents/threads'
import type { RowSource } from '@/lib/json/row-source'
import { jsonText } from '@/lib/json/value'
import { ValueSource } from '@/lib/json/value-source'
import type { LoadedState } from '@/lib/queries/thread-states'

type Props = {
  /** Undefined while loading, when the layout is already in place. */
  state: LoadedState | undefined
  label: string
  actions?: ReactNode
}

/** One checkpoint: next nodes, tasks, open questions, and the values as a tree. */
export function ThreadState({ state, label, actions }: Props) {
  const source = useStateSource(state)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-3 py-2">
        {state ? <Figures state={state} /> : <Skeleton className="w-64" />}
        {actions ? <span className="ml-auto">{actions}</span> : null}
      </div>
      {state?.tasks.length ? <Tasks tasks={state.tasks} /> : null}
      {state && <Interrupts interrupts={openInterrupts(state)} />}
      <JsonRows source={source} label={label} className="min-h-0 flex-1" />
    </div>
  )
}

/** The source of the tree's lines: the worker for large states, else the values; undefined while loading. */
function useStateSource(state: LoadedState | undefined): RowSource | undefined {
  const [made, setMade] = useState<ValueSource>()
  if (!state || state.large) return state?.large?.source
  if (made && made.value === state.values) return made
  const next = new ValueSource(state.values, made)
  setMade(next)
  return next
}

function Figures({ state }: { state: LoadedState }) {
  const step = state.metadata?.step
  return (
    <>
      <Figure label="Next">
        {state.next.length === 0
          ? `nothing (${state.checkpoint?.checkpoint_id ? 'finished' : 'no runs yet'})`
          : [...new Set(state.next)].map((node) => <Badge key={node}>{node}</Badge>)}
      </Figure>
      {typeof step === 'number' ? <Figure label="Step">{step}</Figure> : null}
      {state.created_at ? (
        <Figure label="Saved">
          <RelativeTime at={state.created_at} />
        </Figure>
      ) : null}
      {state.checkpoint?.checkpoint_id ? (
        <Figure label="Checkpoint">
          <IdChip id={state.checkpoint.checkpoint_id} what="checkpoint id" />
        </Figure>
      ) : null}
    </>
  )
}

const Interrupts = ({ interrupts }: { interrupts: Interrupt[] }) =>
  interrupts.map((one, at) => (
    <div key={one.id ?? at} className="flex gap-2.5 border-b bg-accent-soft px-3 py-2 text-sm">
      <CircleHelp aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">The graph needs input</p>
        <LongText
          text={typeof one.value === 'string' ? one.value : jsonText(one.value)}
          limit={1_000}
          className="max-h-40 font-mono text-xs"
          scrollLabel="Question"
        />
      </div>
    </div>
  ))

const Tasks = ({ tasks }: { tasks: State['tasks'] }) => (
  <ul aria-label="Tasks" className="flex max-h-24 flex-wrap gap-x-4 gap-y-1 overflow-auto border-b px-3 py-1.5 text-xs">
    {tasks.map((task) => (
      <li key={task.id} className="flex min-w-0 items-center gap-1.5">
        <span className="text-ink-3">Task</span>
        <span className="truncate font-medium" title={task.id}>
          {task.name}
        </span>
        {task.error ? (
          <span className="max-w-96 truncate text-error" title={errorText(task.error)}>
            <VisibleText>{errorText(task.error)}</VisibleText>
          </span>
        ) : task.interrupts.length > 0 ? (
          <span className="text-warn">needs input</span>
        ) : null}
      </li>
    ))}
  </ul>
)

const errorText = (error: unknown): string => (typeof error === 'string' ? error : jsonText(error)).slice(0, 500)

/** The open questions without duplicates, because servers list them on the state, on the task, or on both. */
export function openInterrupts(state: Pick<State, 'tasks' | 'interrupts'>): Interrupt[] {
  const all = [...state.interrupts, ...state.tasks.flatMap((task) => task.interrupts)]
  const seen = new Set<string>()
  return all.filter((one) => {
    const key = one.id ?? JSON.stringify(one.value)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
