'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { useSave } from '@/components/shared/use-save'
import type { Selected } from '@/components/shared/use-selection'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { deleteDeployments } from '@/lib/actions/bulk'
import type { BulkResult } from '@/lib/contracts/bulk'
import { count } from '@/lib/format'
import { newRequestKey } from '@/lib/request-key'

type BulkDeleteProps = {
  workspace: string
  selected: readonly Selected[]
  /** Ids of those that are gone, or going. */
  onDone: (gone: string[]) => void
  onClose: () => void
}

const OUTCOMES: Record<BulkResult['outcome'], [Tone, string]> = {
  deleted: ['ok', 'Deleted'],
  deleting: ['ok', 'Being deleted'],
  failed: ['error', 'Not deleted'],
  unknown: ['unknown', 'Not known'],
}

/** Deletes several deployments after a typed confirmation, and says of each what became of it. */
export function BulkDelete({ workspace, selected: now, onDone, onClose }: BulkDeleteProps) {
  // As it was when the dialog opened: what is deleted leaves the selection.
  const [selected] = useState(now)
  const [key] = useState(newRequestKey)
  const [typed, setTyped] = useState('')
  const [results, setResults] = useState<readonly BulkResult[]>()
  const { isBusy, error, save } = useSave<BulkResult[]>()
  const number = String(selected.length)
  const isConfirmed = [number, 'delete'].includes(typed.trim().toLowerCase())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isConfirmed || isBusy) return
    const ids = selected.map(({ id }) => id)
    void save(
      () => deleteDeployments({ workspace, ids, key }),
      (data) => {
        setResults(data)
        onDone(data.filter(({ outcome }) => outcome.startsWith('delet')).map(({ id }) => id))
      },
    )
  }
  const what = selected.length === 1 ? 'deployment' : 'deployments'
  return (
    <Dialog
      open
      onOpenChange={() => isBusy || onClose()}
      title={results ? summary(results) : `Delete ${count(selected.length)} ${what}?`}
    >
      {results ? (
        <>
          <ul aria-label="Results" className="max-h-72 divide-y overflow-y-auto rounded-md border">
            {results.map(({ id, outcome, reason }) => (
              <li key={id} className="px-3 py-1.5">
                <span className="flex items-center gap-3">
                  <span className="min-w-0 flex-1 truncate">{selected.find((one) => one.id === id)?.name ?? id}</span>
                  <StatusBadge tone={OUTCOMES[outcome][0]}>{OUTCOMES[outcome][1]}</StatusBadge>
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
          <p className="text-ink-2">
            They stop serving, and their threads, runs and secrets are lost. Their tracing projects are kept. This
            cannot be undone.
          </p>
          <ul aria-label="To be deleted" className="max-h-40 overflow-y-auto rounded-md border px-3 py-1.5">
            {selected.map(({ id, name }) => (
              <li key={id} className="truncate" title={id}>
                {name}
              </li>
            ))}
          </ul>
          {error ? <ErrorNotice error={error} /> : null}
          <Field id="bulk-typed" label={`Type ${number} or delete to go on`}>
            <Input
              id="bulk-typed"
              autoFocus
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
          <div className="flex flex-wrap justify-end gap-2">
            <Button disabled={isBusy} onClick={onClose}>
              Do nothing
            </Button>
            <Button type="submit" variant="danger" isBusy={isBusy} disabled={!isConfirmed}>
              Delete {count(selected.length)} {what}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

function summary(results: readonly BulkResult[]): string {
  const gone = results.filter(({ outcome }) => outcome.startsWith('delet')).length
  if (gone === results.length) return `${count(gone)} deleted`
  return `${count(gone)} of ${count(results.length)} deleted`
}
