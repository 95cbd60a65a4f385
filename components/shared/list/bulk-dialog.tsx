'use client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleName } from '@/components/shared/text/visible-text'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import type { Result } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import type { Selected } from './use-selection'

type BulkResult = { id: string; outcome: string; reason?: string }

type Props<R extends BulkResult> = {
  /** The action with its object, as on the button: "Delete 3 threads". */
  verb: string
  /** The consequence, shown before the action. */
  means: string
  /** `detail`: what happens to this row, if it differs from the others. */
  subjects: readonly (Selected & { detail?: string })[]
  /** Whether the number of rows, or the word delete, must be typed to confirm. */
  isTyped: boolean
  /** The action loses nothing, so its button is not red. */
  isHarmless?: boolean
  outcomes: Record<R['outcome'], [Tone, string]>
  summary: (results: readonly R[]) => string
  send: (request: { ids: string[]; key: string }) => Promise<Result<R[]>>
  onResults: (results: readonly R[]) => void
  onClose: () => void
  /** Options to choose before confirming. */
  children?: ReactNode
}

/** Applies an action to several rows after a confirmation, and shows the outcome of each. */
export function BulkDialog<R extends BulkResult>(props: Props<R>) {
  const { means, isTyped, isHarmless = false, outcomes, onClose, children } = props
  // Captured on opening, because deleted rows leave the selection.
  const [{ subjects, verb }] = useState(props)
  const [key] = useState(newRequestKey)
  const [typed, setTyped] = useState('')
  const [results, setResults] = useState<readonly R[]>()
  const { isBusy, error, save } = useSave<R[]>()
  const number = String(subjects.length)
  const isConfirmed = !isTyped || [number, 'delete'].includes(typed.trim().toLowerCase())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isConfirmed || isBusy) return
    void save(
      () => props.send({ ids: subjects.map(({ id }) => id), key }),
      (data) => {
        setResults(data)
        props.onResults(data)
      },
    )
  }
  return (
    <Dialog open onOpenChange={() => isBusy || onClose()} title={results ? props.summary(results) : `${verb}?`}>
      {results ? (
        <>
          <ul aria-label="Results" className="max-h-72 divide-y overflow-y-auto rounded-md border">
            {results.map(({ id, outcome, reason }: R) => {
              const [tone, words] = outcomes[outcome as R['outcome']]
              return (
                <li key={id} className="px-3 py-1.5">
                  <span className="flex items-center gap-3">
                    <VisibleName className="min-w-0 flex-1 truncate">
                      {subjects.find((one) => one.id === id)?.name ?? id}
                    </VisibleName>
                    <StatusBadge tone={tone}>{words}</StatusBadge>
                  </span>
                  {reason ? <span className="block text-ink-2 text-xs">{reason}</span> : null}
                </li>
              )
            })}
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
          <ul aria-label="Which" className="max-h-56 overflow-y-auto rounded-md border px-3 py-1.5">
            {subjects.map(({ id, name, detail }) => (
              <li key={id} className={detail ? 'py-1' : 'truncate'} title={id}>
                <VisibleName>{name}</VisibleName>
                {detail ? <LongText text={detail} limit={300} className="text-ink-2 text-xs" /> : null}
              </li>
            ))}
          </ul>
          {children}
          {error ? <ErrorNotice error={error} /> : null}
          {isTyped ? (
            <Field id="bulk-typed" label={`Type delete to confirm`}>
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
              Cancel
            </Button>
            <Button type="submit" variant={isHarmless ? 'primary' : 'danger'} isBusy={isBusy} disabled={!isConfirmed}>
              {verb}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
