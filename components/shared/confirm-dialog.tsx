'use client'
import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import type { ErrorView, Settled } from '@/lib/errors'
import { ErrorNotice } from './error-notice'

type ConfirmDialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What it does, in the words of the button. */
  verb: string
  /** Where given, this has to be typed first. */
  typed?: string
  action: () => Promise<Settled<unknown>>
  onDone: () => void
  children: ReactNode
}

/** Asks before something that cannot be taken back. Stays open, with the reason, where it fails. */
export function ConfirmDialog({ open, onOpenChange, title, verb, typed, action, onDone, children }: ConfirmDialogProps) {
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ErrorView>()
  async function confirm() {
    setBusy(true)
    const result = await action()
    setBusy(false)
    if (!result.ok) return setError(result.error)
    setError(undefined)
    setText('')
    onOpenChange(false)
    onDone()
  }
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title}>
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">{children}</p>
        {error ? <ErrorNotice error={error} /> : null}
        {typed ? (
          <Field id="confirm-typed" label={<>Type {typed} to go on</>}>
            <Input id="confirm-typed" value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
          </Field>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={() => onOpenChange(false)}>Do nothing</Button>
          <Button variant="danger" isBusy={isBusy} disabled={typed !== undefined && text !== typed} onClick={() => void confirm()}>
            {verb}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
