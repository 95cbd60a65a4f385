'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { useSave } from '@/components/shared/use-save'
import type { Selected } from '@/components/shared/use-selection'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { cancelRuns } from '@/lib/actions/runs'
import type { RunResult } from '@/lib/contracts/run-row'
import { count } from '@/lib/format'
import { newRequestKey } from '@/lib/request-key'

type Props = {
  workspace: string
  runs: readonly Selected[]
  /** Ids of those that are over, or will be. */
  onDone: (over: string[]) => void
  onClose: () => void
}
type Action = 'interrupt' | 'rollback'

const CHOICES: { value: Action; label: string; hint: string }[] = [
  { value: 'interrupt', label: 'Interrupt', hint: 'They are stopped; what they did so far stays in their threads.' },
  {
    value: 'rollback',
    label: 'Roll back',
    hint: 'They are stopped and everything they did is removed, the runs themselves included. This cannot be undone.',
  },
]
const BADGES: Record<RunResult['outcome'], [Tone, string]> = {
  done: ['ok', 'Cancelled'],
  nothing: ['neutral', 'Had ended already'],
  failed: ['error', 'Not cancelled'],
}

/** Cancels several runs after a confirmation, and says of each what became of it. */
export function CancelRuns({ workspace, runs: now, onDone, onClose }: Props) {
  // As it was when the dialog opened: what is cancelled leaves the selection.
  const [runs] = useState(now)
  const [key] = useState(newRequestKey)
  const [action, setAction] = useState<Action>('interrupt')
  const [results, setResults] = useState<readonly RunResult[]>()
  const { isBusy, error, save } = useSave<RunResult[]>()
  const what = `${count(runs.length)} ${runs.length === 1 ? 'run' : 'runs'}`
  const nameOf = (id: string) => runs.find((one) => one.id === id)?.name ?? id
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    void save(
      // The same key with another choice is another request.
      () => cancelRuns({ workspace, ids: runs.map(({ id }) => id), action, key: `${key}-${action}` }),
      (data) => {
        setResults(data)
        onDone(data.filter(({ outcome }) => outcome !== 'failed').map(({ id }) => id))
      },
    )
  }
  const good = results?.filter(({ outcome }) => outcome !== 'failed').length ?? 0
  return (
    <Dialog
      open
      onOpenChange={() => isBusy || onClose()}
      title={results ? `${count(good)} of ${count(results.length)} done` : `Cancel ${what}?`}
    >
      {results ? (
        <>
          <ul aria-label="Results" className="max-h-72 divide-y overflow-y-auto rounded-md border">
            {results.map(({ id, outcome, reason }) => (
              <li key={id} className="px-3 py-1.5">
                <span className="flex items-center gap-3">
                  <code className="min-w-0 flex-1 truncate font-mono text-xs" title={nameOf(id)}>
                    {nameOf(id)}
                  </code>
                  <StatusBadge tone={BADGES[outcome][0]}>{BADGES[outcome][1]}</StatusBadge>
                </span>
                {reason ? <span className="block text-ink-2 text-xs">{reason}</span> : null}
              </li>
            ))}
          </ul>
          <div className="mt-3 flex justify-end">
            <Button autoFocus onClick={onClose}>
              Close
            </Button>
          </div>
        </>
      ) : (
        <form className="flex flex-col gap-3" onSubmit={submit}>
          <fieldset className="flex flex-col gap-2">
            <legend className="mb-1 text-ink-2">
              They are stopped on their servers, for everyone who watches them.
            </legend>
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
          {error ? <ErrorNotice error={error} /> : null}
          <div className="flex flex-wrap justify-end gap-2">
            <Button disabled={isBusy} onClick={onClose}>
              Do nothing
            </Button>
            <Button type="submit" variant="danger" isBusy={isBusy}>
              Cancel {what}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
