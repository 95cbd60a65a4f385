'use client'
import { useState } from 'react'
import { BulkDialog } from '@/components/shared/list/bulk-dialog'
import type { Selected } from '@/components/shared/list/use-selection'
import type { Tone } from '@/components/ui/badge'
import { cancelRuns } from '@/lib/actions/runs'
import type { RunResult } from '@/lib/contracts/agents/run-row'
import { count } from '@/lib/format/format'

type Props = {
  workspace: string
  runs: readonly Selected[]
  /** Ids of the runs that have ended or are about to. */
  onDone: (over: string[]) => void
  onClose: () => void
}
type Action = 'interrupt' | 'rollback'

const CHOICES: { value: Action; label: string; hint: string }[] = [
  { value: 'interrupt', label: 'Interrupt', hint: 'Stops the runs. What they did so far stays in their threads.' },
  {
    value: 'rollback',
    label: 'Roll back',
    hint: 'Stops and deletes the runs and everything they did. This cannot be undone.',
  },
]
const BADGES: Record<RunResult['outcome'], [Tone, string]> = {
  done: ['ok', 'Cancelled'],
  nothing: ['neutral', 'Already finished'],
  failed: ['error', 'Not cancelled'],
}

/** Cancels several runs after a confirmation, and shows the outcome of each. */
export function CancelRuns({ workspace, runs, onDone, onClose }: Props) {
  const [action, setAction] = useState<Action>('interrupt')
  return (
    <BulkDialog<RunResult>
      verb={`Cancel ${count(runs.length)} ${runs.length === 1 ? 'run' : 'runs'}`}
      means="The runs are stopped on their servers, for everyone."
      subjects={runs}
      isTyped={false}
      outcomes={BADGES}
      summary={(results) => `${count(results.filter(isOver).length)} of ${count(results.length)} done`}
      // A different action is a different request, so it needs its own key.
      send={({ ids, key }) => cancelRuns({ workspace, ids, action, key: `${key}-${action}` })}
      onResults={(results) => onDone(results.filter(isOver).map(({ id }) => id))}
      onClose={onClose}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">How</legend>
        {CHOICES.map(({ value, label, hint }) => (
          <label key={value} className="flex items-start gap-2">
            <input
              type="radio"
              name="action"
              className="mt-1 accent-accent"
              checked={action === value}
              onChange={() => setAction(value)}
            />
            <span>
              <span className="block font-medium">{label}</span>
              <span className="block text-ink-3 text-xs">{hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </BulkDialog>
  )
}

const isOver = ({ outcome }: RunResult) => outcome !== 'failed'
