'use client'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import type { Result } from '@/lib/errors'
import { useSave } from './use-save'

type ConfirmDialogProps = ConfirmProps & { open: boolean; title: ReactNode }

type ConfirmProps = {
  onOpenChange: (open: boolean) => void
  /** The label of the confirm button. */
  verb: string
  /** A text that must be typed to confirm. */
  typed?: string
  action: () => Promise<Result<unknown>>
  onDone: () => void
  children: ReactNode
}

/** Confirms an irreversible action. Stays open with the error if the action fails. */
export const ConfirmDialog = ({ open, title, ...rest }: ConfirmDialogProps) => (
  <Dialog open={open} onOpenChange={rest.onOpenChange} title={title}>
    <Confirm {...rest} />
  </Dialog>
)

/** Mounted only while the dialog is open, so that each opening starts with fresh state. */
function Confirm({ onOpenChange, verb, typed, action, onDone, children }: ConfirmProps) {
  const [text, setText] = useState('')
  const { isBusy, error, save } = useSave<unknown>()
  const confirm = () =>
    void save(action, () => {
      onOpenChange(false)
      onDone()
    })
  return (
    <div className="flex flex-col gap-3">
      <p className="text-ink-2">{children}</p>
      {error ? <ErrorNotice error={error} /> : null}
      {typed ? (
        <Field id="confirm-typed" label={`Type ${typed} to confirm`}>
          <Input id="confirm-typed" value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
        </Field>
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => onOpenChange(false)}>Cancel</Button>
        <Button variant="danger" isBusy={isBusy} disabled={typed !== undefined && text !== typed} onClick={confirm}>
          {verb}
        </Button>
      </div>
    </div>
  )
}
