'use client'

import { useQuery } from '@tanstack/react-query'
import { RelativeTime } from '@/components/shared/relative-time'
import { Input } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { shortId } from '@/lib/format'
import { threadsQuery } from '@/lib/queries/threads'
import { IssueList } from './issue-list'
import type { StartIssue } from './start-issues'
import type { StartOptions } from './start-options'

type Kind = StartOptions['threadKind']
type Props = {
  workspace: string
  deployment: string
  kind: Kind
  thread: string
  onChange: (change: { threadKind?: Kind; thread?: string }) => void
  issues: readonly StartIssue[]
}

const KINDS: { value: Kind; label: string; hint: string }[] = [
  { value: 'new', label: 'New thread', hint: 'Its state is kept and later runs can go on from it.' },
  { value: 'existing', label: 'Existing thread', hint: 'The run goes on from the thread’s state.' },
  {
    value: 'stateless',
    label: 'No thread (stateless)',
    hint: 'Not persisted: the server keeps no state; the output is only in the recording here.',
  },
]

/** Where the run's state goes. */
export function ThreadPicker({ workspace, deployment, kind, thread, onChange, issues }: Props) {
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1 font-medium text-xs">Thread</legend>
      <div className="grid gap-2 sm:grid-cols-3">
        {KINDS.map((one) => (
          <label
            key={one.value}
            className={cn(
              'flex cursor-pointer items-start gap-2 rounded-md border px-2.5 py-2 text-sm hover:bg-hover',
              kind === one.value ? 'border-accent bg-accent-soft/60' : 'bg-panel',
            )}
          >
            <input
              type="radio"
              name="thread-kind"
              className="mt-[3px] size-3.5 shrink-0 accent-accent"
              checked={kind === one.value}
              onChange={() => onChange({ threadKind: one.value })}
            />
            <span className="min-w-0">
              {one.label}
              <span className="block text-ink-3 text-xs">{one.hint}</span>
            </span>
          </label>
        ))}
      </div>
      {kind === 'existing' ? (
        <div className="space-y-1.5">
          <Input
            id="start-thread"
            aria-label="Thread id"
            aria-describedby="start-thread-issues"
            aria-invalid={issues.length > 0 || undefined}
            placeholder="Thread id"
            className="font-mono"
            value={thread}
            onChange={(event) => onChange({ thread: event.target.value.trim() })}
          />
          <RecentThreads
            workspace={workspace}
            deployment={deployment}
            chosen={thread}
            onChoose={(id) => onChange({ thread: id })}
          />
        </div>
      ) : null}
      <IssueList id="start-thread-issues" issues={issues} />
    </fieldset>
  )
}

function RecentThreads({
  workspace,
  deployment,
  chosen,
  onChoose,
}: {
  workspace: string
  deployment: string
  chosen: string
  onChoose: (id: string) => void
}) {
  const list = useQuery(
    threadsQuery(workspace, deployment, {
      limit: 6,
      sort_by: 'updated_at',
      sort_order: 'desc',
      select: ['thread_id', 'status', 'updated_at', 'metadata'],
    }),
  )
  if (list.isPending) return <Skeleton className="h-16 w-full" />
  // An id can still be typed; the list page says what is wrong with the server.
  if (list.error) return <p className="text-ink-3 text-xs">Recent threads could not be read.</p>
  if (list.data.length === 0) return <p className="text-ink-3 text-xs">There are no threads yet.</p>
  return (
    <ul aria-label="Recent threads" className="divide-y rounded-md border">
      {list.data.map((one) => (
        <li key={one.thread_id}>
          <button
            type="button"
            aria-pressed={one.thread_id === chosen}
            title={one.thread_id}
            onClick={() => onChoose(one.thread_id)}
            className={cn(
              'flex w-full items-center gap-3 px-2.5 py-1 text-left text-xs hover:bg-hover',
              one.thread_id === chosen && 'bg-accent-soft',
            )}
          >
            <code className="font-mono">{shortId(one.thread_id)}</code>
            <span className="min-w-0 flex-1 truncate text-ink-2">
              {typeof one.metadata.graph_id === 'string' ? one.metadata.graph_id : ''}
            </span>
            <span className="text-ink-3">{one.status}</span>
            <span className="text-ink-3">
              <RelativeTime at={one.updated_at} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
