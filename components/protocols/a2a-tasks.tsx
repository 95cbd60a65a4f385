'use client'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { cn } from '@/lib/cn'
import type { A2aTask } from '@/lib/contracts/agents/a2a'
import { count } from '@/lib/format/format'
import { entryOf } from '@/lib/json/guards'
import { TASK_TONES } from './a2a-outcome'

type Props = {
  tasks: readonly A2aTask[]
  total: number
  /** Whether the list is limited to one context. */
  isOfContext: boolean
  current: string
  onChoose: (task: A2aTask) => void
}

/** The newest tasks of an assistant. Choosing one fills it into the console to read or cancel. */
export const A2aTasks = ({ tasks, total, isOfContext, current, onChoose }: Props) => (
  <section aria-label="Tasks" className="min-w-0 overflow-hidden rounded-lg border bg-panel">
    <header className="flex items-baseline gap-3 border-b px-3 py-2">
      <h3 className="font-semibold text-sm">{isOfContext ? 'Tasks in this context' : 'Tasks'}</h3>
      <span className="text-ink-3 text-xs tabular-nums">
        {total > tasks.length ? `newest ${count(tasks.length)} of ${count(total)}` : count(total)}
      </span>
    </header>
    {tasks.length === 0 ? <p className="px-3 py-4 text-ink-2 text-sm">No tasks yet</p> : null}
    <ul className="max-h-72 divide-y overflow-y-auto">
      {tasks.map((task) => (
        <li key={task.id}>
          <button
            type="button"
            aria-current={task.id === current || undefined}
            onClick={() => onChoose(task)}
            className={cn(
              'flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-left text-xs hover:bg-hover',
              task.id === current && 'bg-accent-soft',
            )}
          >
            <StatusBadge tone={entryOf(TASK_TONES, task.state) ?? 'unknown'}>
              <VisibleText>{task.state}</VisibleText>
            </StatusBadge>
            <code className="min-w-0 truncate font-mono text-ink-2">
              <VisibleText>{task.id}</VisibleText>
            </code>
            {task.at ? (
              <span className="ml-auto text-ink-3">
                <RelativeTime at={task.at} />
              </span>
            ) : null}
          </button>
        </li>
      ))}
    </ul>
  </section>
)
