'use client'

import dynamic from 'next/dynamic'
import { Input } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import { IssueList } from './issue-list'
import type { StartIssue } from './start-issues'
import type { StartOptions } from './start-options'

// Loaded on demand, because most runs start a new thread.
const RecentThreads = dynamic(() => import('./recent-threads').then(({ RecentThreads }) => RecentThreads), {
  ssr: false,
  loading: () => <Skeleton className="h-16 w-full" />,
})

type Kind = StartOptions['threadKind']
type Props = {
  workspace: string
  deploymentId: string
  kind: Kind
  thread: string
  onChange: (change: { threadKind?: Kind; thread?: string }) => void
  issues: readonly StartIssue[]
}

const KINDS: { value: Kind; label: string; hint: string }[] = [
  { value: 'new', label: 'New thread', hint: 'Keeps its state for later runs.' },
  { value: 'existing', label: 'Existing thread', hint: 'Continues from the thread’s state.' },
  {
    value: 'stateless',
    label: 'No thread (stateless)',
    hint: 'The server keeps no state. The output exists only in the recording.',
  },
]

/** Chooses the thread of the run. */
export function ThreadPicker({ workspace, deploymentId, kind, thread, onChange, issues }: Props) {
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
            aria-label="Thread ID"
            aria-describedby="start-thread-issues"
            aria-invalid={issues.length > 0 || undefined}
            placeholder="Thread ID"
            className="font-mono"
            value={thread}
            onChange={(event) => onChange({ thread: event.target.value.trim() })}
          />
          <RecentThreads
            workspace={workspace}
            deploymentId={deploymentId}
            chosen={thread}
            onChoose={(id) => onChange({ thread: id })}
          />
        </div>
      ) : null}
      <IssueList id="start-thread-issues" issues={issues} />
    </fieldset>
  )
}
