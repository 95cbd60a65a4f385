'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { useSave } from '@/components/shared/use-save'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { cancelRunsOf, deleteThreads } from '@/lib/actions/threads'
import type { ThreadResult } from '@/lib/contracts/thread-edit'
import { count } from '@/lib/format'
import { newRequestKey } from '@/lib/request-key'

export type BulkVerb = 'delete' | 'cancel'

type Props = {
  verb: BulkVerb
  workspace: string
  deployment: string
  ids: readonly string[]
  /** Ids of those that are gone. */
  onDone: (gone: string[]) => void
  onClose: () => void
}

const VERBS = {
  delete: {
    action: deleteThreads,
    button: 'Delete',
    means:
      'Their states, histories and runs are lost; runs that are going on are stopped first. This cannot be undone.',
    done: 'Deleted',
    nothing: 'Was gone',
    failed: 'Not deleted',
  },
  cancel: {
    action: cancelRunsOf,
    button: 'Cancel the runs of',
    means: 'Runs that are going on or wait their turn are stopped. What they did so far stays in the threads.',
    done: 'Cancelled',
    nothing: 'Nothing was running',
    failed: 'Not cancelled',
  },
} as const

/** Deletes several threads, or cancels their runs, after a confirmation, and says of each what became of it. */
export function BulkDialog({ verb, workspace, deployment, ids: now, onDone, onClose }: Props) {
  // As it was when the dialog opened: what is deleted leaves the selection.
  const [ids] = useState(now)
  const [key] = useState(newRequestKey)
  const [typed, setTyped] = useState('')
  const [results, setResults] = useState<readonly ThreadResult[]>()
  const { isBusy, error, save } = useSave<ThreadResult[]>()
  const { action, button, means, ...words } = VERBS[verb]
  const number = String(ids.length)
  const isConfirmed = verb === 'cancel' || [number, 'delete'].includes(typed.trim().toLowerCase())
  const what = `${count(ids.length)} ${ids.length === 1 ? 'thread' : 'threads'}`
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isConfirmed || isBusy) return
    void save(
      () => action({ workspace, deployment, ids: [...ids], key }),
      (data) => {
        setResults(data)
        onDone(verb === 'delete' ? data.filter(({ outcome }) => outcome === 'done').map(({ id }) => id) : [])
      },
    )
  }
  const badges: Record<ThreadResult['outcome'], [Tone, string]> = {
    done: ['ok', words.done],
    nothing: ['neutral', words.nothing],
    failed: ['error', words.failed],
    unknown: ['unknown', 'Not known'],
  }
  const good = results?.filter(({ outcome }) => outcome === 'done' || outcome === 'nothing').length ?? 0
  return (
    <Dialog
      open
      onOpenChange={() => isBusy || onClose()}
      title={results ? `${count(good)} of ${count(results.length)} done` : `${button} ${what}?`}
    >
      {results ? (
        <>
          <ul aria-label="Results" className="max-h-72 divide-y overflow-y-auto rounded-md border">
            {results.map(({ id, outcome, reason }) => (
              <li key={id} className="px-3 py-1.5">
                <span className="flex items-center gap-3">
                  <code className="min-w-0 flex-1 truncate font-mono text-xs" title={id}>
                    {id}
                  </code>
                  <StatusBadge tone={badges[outcome][0]}>{badges[outcome][1]}</StatusBadge>
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
          <p className="text-ink-2">{means}</p>
          {error ? <ErrorNotice error={error} /> : null}
          {verb === 'delete' ? (
            <Field id="bulk-typed" label={`Type ${number} or delete to go on`}>
              <Input
                id="bulk-typed"
                autoFocus
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            </Field>
          ) : null}
          <div className="flex flex-wrap justify-end gap-2">
            <Button disabled={isBusy} onClick={onClose}>
              Do nothing
            </Button>
            <Button type="submit" variant="danger" isBusy={isBusy} disabled={!isConfirmed}>
              {button} {what}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
