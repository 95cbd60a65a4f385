'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { RelativeTime } from '@/components/shared/relative-time'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { agentServer } from '@/lib/contracts/agent-server'
import type { ThreadState as State } from '@/lib/contracts/threads'
import { apiQuery } from '@/lib/queries/api-query'
import { ThreadState } from './thread-state'

/** Each entry carries its whole state, so few are asked for at a time. */
const PAGE_SIZE = 10

type Place = { workspace: string; deployment: string; thread: string }

/** A thread's checkpoints, newest first; the chosen one with its state. */
export function ThreadHistory(place: Place) {
  // Where each page of checkpoints begins: before the last one of the page above.
  const [pages, setPages] = useState<(string | undefined)[]>([undefined])
  const [chosen, setChosen] = useState<State>()
  return (
    <div className="flex h-full min-h-0 flex-col md:flex-row">
      <nav
        aria-label="Checkpoints"
        className="max-h-56 shrink-0 overflow-y-auto border-b md:max-h-none md:w-72 md:border-r md:border-b-0"
      >
        {pages.map((before, index) => (
          <HistoryPage
            key={before ?? 'newest'}
            {...place}
            before={before}
            chosen={chosen}
            onChoose={setChosen}
            onOlder={index === pages.length - 1 ? (last) => setPages([...pages, last]) : undefined}
          />
        ))}
      </nav>
      <div className="min-h-0 min-w-0 flex-1">
        {chosen ? (
          <ThreadState key={idOf(chosen)} state={chosen} label="State at the checkpoint" />
        ) : (
          <p className="py-10 text-center text-ink-3 text-sm">Choose a checkpoint to see the state it saved.</p>
        )}
      </div>
    </div>
  )
}

type PageProps = Place & {
  before: string | undefined
  chosen: State | undefined
  onChoose: (state: State) => void
  /** Absent while a page follows. */
  onOlder?: (last: string) => void
}

function HistoryPage({ workspace, deployment, thread, before, chosen, onChoose, onOlder }: PageProps) {
  const page = useQuery(
    apiQuery(agentServer.searchThreadHistory, {
      workspace,
      deployment,
      params: { thread_id: thread },
      body: { limit: PAGE_SIZE, ...(before && { before }) },
    }),
  )
  if (page.isPending) return <Skeleton className="m-3 h-40" />
  if (page.error) return <ErrorNotice error={page.error.view} onRetry={() => void page.refetch()} className="m-2" />
  const last = page.data.at(-1)?.checkpoint?.checkpoint_id
  if (page.data.length === 0)
    return (
      <p className="p-3 text-ink-3 text-xs">{before ? 'No older checkpoints.' : 'This thread has no checkpoints.'}</p>
    )
  return (
    <>
      <ul className="divide-y border-b">
        {page.data.map((state, index) => (
          <li key={idOf(state) || index}>
            <button
              type="button"
              aria-pressed={chosen !== undefined && idOf(chosen) === idOf(state)}
              onClick={() => onChoose(state)}
              className={cn(
                'block w-full px-3 py-2 text-left text-xs hover:bg-hover',
                chosen && idOf(chosen) === idOf(state) && 'bg-accent-soft',
              )}
            >
              <span className="flex items-center gap-2">
                <span className="font-medium tabular-nums">Step {textOf(state.metadata?.step)}</span>
                <span className="text-ink-3">{textOf(state.metadata?.source)}</span>
                <span className="ml-auto text-ink-3">
                  <RelativeTime at={state.created_at} />
                </span>
              </span>
              <span className="block truncate text-ink-2">
                {state.next.length > 0 ? `next: ${state.next.join(', ')}` : 'finished'}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {onOlder && last && page.data.length === PAGE_SIZE ? (
        <Button variant="ghost" size="sm" className="m-2" onClick={() => onOlder(last)}>
          Older checkpoints
        </Button>
      ) : null}
    </>
  )
}

const idOf = (state: State): string => state.checkpoint?.checkpoint_id ?? ''
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '–'
