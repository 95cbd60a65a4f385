'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, CornerDownRight, GitFork, Pencil } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useCallback, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { DetailSheet } from '@/components/shared/list/detail-sheet'
import { useFocusOnButton, useIsNarrow } from '@/components/shared/list/use-sheet'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/loading'
import type { CheckpointPlace, HistoryRow } from '@/lib/contracts/agents/thread-edit'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { stateAtQuery } from '@/lib/queries/thread-states'
import { routes } from '@/lib/routes'
import { CheckpointList } from './checkpoint-list'
import { checkpointName } from './checkpoint-name'
import { ThreadState } from './thread-state'

const StateDifference = dynamic(() => import('./state-difference').then((module) => module.StateDifference), {
  ssr: false,
  loading: () => <Skeleton className="m-4 h-40" />,
})
const EditState = dynamic(() => import('./edit-state').then((module) => module.EditState), { ssr: false })

type Props = ThreadPlace & { assistant: string | undefined }

/**
 * A thread's checkpoints, newest first, and the selected one's state or its difference from another. The URL keeps both
 * (`at`, `vs`) and the subgraph (`ns`).
 */
export function ThreadHistory({ assistant, ...place }: Props) {
  const search = useSearchParams()
  const set = useSetSearch({ isLocal: true })
  const ns = search.get('ns') ?? ''
  const [rows, setRows] = useState<readonly HistoryRow[]>([])
  const note = useCallback((found: readonly HistoryRow[]) => setRows((all) => merged(all, found)), [])
  const known = rows.filter((row) => row.ns === ns)
  const at = search.get('at') ?? ''
  const chosen = known.find(({ id }) => id === at) ?? (at ? { id: at, ns } : undefined)
  const other = known.find(({ id }) => id === search.get('vs'))
  const isNarrow = useIsNarrow()
  const list = useRef<HTMLElement>(null)
  useFocusOnButton(list, at)
  return (
    <div className="flex h-full min-h-0">
      <nav
        ref={list}
        aria-label="Checkpoints"
        className="min-w-0 overflow-y-auto overscroll-contain max-lg:flex-1 lg:w-80 lg:shrink-0 lg:border-r"
      >
        {ns ? (
          <div className="flex items-center gap-1 border-b bg-sunken px-2 py-1.5 text-xs">
            <Button variant="ghost" size="sm" onClick={() => set({ ns: '', at: '', vs: '' })}>
              <ArrowLeft aria-hidden />
              Thread
            </Button>
            <span className="min-w-0 truncate" title={ns}>
              Subgraph <code className="font-mono">{ns}</code>
            </span>
          </div>
        ) : null}
        <CheckpointList
          key={ns}
          place={place}
          ns={ns}
          chosen={at}
          other={other?.id}
          onRows={note}
          onChoose={(id) => set({ at: id, vs: '' }, isNarrow ? 'push' : 'replace')}
        />
      </nav>
      {chosen ? (
        <DetailSheet
          label="Checkpoint"
          title={'step' in chosen ? checkpointName(chosen) : 'Checkpoint'}
          onClose={() => set({ at: '', vs: '' })}
          className="lg:flex-1"
        >
          <Chosen
            key={`${ns} ${chosen.id}`}
            place={place}
            assistant={assistant}
            chosen={chosen}
            rows={known}
            other={other}
            onCompare={(id) => set({ vs: id })}
            onSubgraph={(inner) => set({ ns: inner, at: '', vs: '' })}
            onWritten={(id) => set({ at: id, vs: chosen.id })}
          />
        </DetailSheet>
      ) : (
        <p className="flex-1 px-4 py-10 text-center text-ink-3 text-sm max-lg:hidden">
          Choose a checkpoint to see its state, compare it, run from it, or edit it.
        </p>
      )}
    </div>
  )
}

/** Merges rows by id, newest first. Newly read rows replace old ones. */
function merged(all: readonly HistoryRow[], found: readonly HistoryRow[]): readonly HistoryRow[] {
  const rows = new Map([...all, ...found].map((row) => [`${row.ns} ${row.id}`, row]))
  const orderOf = ({ at, id }: HistoryRow) => `${at ?? ''} ${id}`
  return [...rows.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1))
}

type ChosenProps = {
  place: ThreadPlace
  assistant: string | undefined
  chosen: CheckpointPlace & Partial<HistoryRow>
  rows: readonly HistoryRow[]
  other: HistoryRow | undefined
  onCompare: (id: string) => void
  /** Opens the history of a task's subgraph. */
  onSubgraph: (ns: string) => void
  onWritten: (id: string) => void
}

function Chosen({ place, assistant, chosen, rows, other, onCompare, onSubgraph, onWritten }: ChosenProps) {
  const { workspace, deploymentId, thread } = place
  const whyNot = useReasons().run
  const [isEditing, setEditing] = useState(false)
  const state = useQuery(stateAtQuery(workspace, deploymentId, thread, chosen))
  const others = rows.filter(({ id }) => id !== chosen.id)
  const canRun = chosen.ns === ''
  const inner = (chosen.tasks ?? []).flatMap(({ ns, name }) => (ns ? [{ ns, name }] : []))
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b px-3 py-2">
        <Select
          aria-label="Compare with"
          className="h-7 w-auto max-w-64 text-xs"
          value={other?.id ?? ''}
          onChange={({ target }) => onCompare(target.value)}
        >
          <option value="">Compare with…</option>
          {others.map((row) => (
            <option key={row.id} value={row.id}>
              {row.id === chosen.parent ? 'previous: ' : ''}
              {checkpointName(row)}
            </option>
          ))}
        </Select>
        {canRun && !whyNot ? (
          <Button asChild size="sm">
            <Link href={routes.newRun(workspace, deploymentId, { thread, assistant, checkpoint: chosen.id })}>
              <GitFork aria-hidden />
              Run from here
            </Link>
          </Button>
        ) : (
          <Button size="sm" reason={whyNot ?? 'Runs cannot start from a subgraph checkpoint.'}>
            <GitFork aria-hidden />
            Run from here
          </Button>
        )}
        <Button
          size="sm"
          reason={whyNot ?? (state.data ? undefined : 'The state is still loading.')}
          onClick={() => setEditing(true)}
        >
          <Pencil aria-hidden />
          Edit state from here
        </Button>
        {inner.map(({ ns, name }) => (
          <Button key={ns} size="sm" title={ns} onClick={() => onSubgraph(ns)}>
            <CornerDownRight aria-hidden />
            Subgraph of {name}
          </Button>
        ))}
      </div>
      <div className="min-h-0 flex-1">
        {other ? (
          <StateDifference place={place} from={other} to={chosen} />
        ) : state.error && !state.data ? (
          state.error.code === 'not_found' || state.error.code === 'unsupported' ? (
            <p className="px-4 py-10 text-center text-ink-3 text-sm">
              {state.error.code === 'not_found'
                ? 'This checkpoint was removed. It may have expired.'
                : 'This server cannot return the state of a checkpoint.'}
            </p>
          ) : (
            <ErrorNotice error={state.error.view} onRetry={() => void state.refetch()} className="m-3" />
          )
        ) : (
          <ThreadState state={state.data} label="State at this checkpoint" />
        )}
      </div>
      {isEditing && state.data ? (
        <EditState
          place={place}
          assistant={assistant}
          state={state.data}
          base={{ id: chosen.id, ns: chosen.ns, ...(chosen.map && { map: chosen.map }) }}
          isNewest={rows[0]?.id === chosen.id}
          onClose={() => setEditing(false)}
          onWritten={(id) => {
            setEditing(false)
            if (id) onWritten(id)
          }}
        />
      ) : null}
    </>
  )
}
