'use client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleName } from '@/components/shared/text/visible-name'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import type { Result } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/request-key'
import type { Selected } from './use-selection'

type BulkResult = { id: string; outcome: string; reason?: string }

type Props<R extends BulkResult> = {
  /** What it does and to what, in the words of the button: "Delete 3 threads". */
  verb: string
  /** What that means, before it is done. */
  means: string
  /** `detail`: what is done to this one, where that differs. */
  subjects: readonly (Selected & { detail?: string })[]
  /** Whether the number of them, or the word delete, has to be typed first. */
  isTyped: boolean
  /** Nothing is lost by it. */
  isHarmless?: boolean
  outcomes: Record<R['outcome'], [Tone, string]>
  summary: (results: readonly R[]) => string
  send: (request: { ids: string[]; key: string }) => Promise<Result<R[]>>
  onResults: (results: readonly R[]) => void
  onClose: () => void
  /** What is to be chosen before. */
  children?: ReactNode
}

/** Does something with several rows after a confirmation, and says of each what became of it. */
export function BulkDialog<R extends BulkResult>(props: Props<R>) {
  const { means, isTyped, isHarmless = false, outcomes, onClose, children } = props
  // As they were when the dialog opened: what is deleted leaves the selection.
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
