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
  /** What it does, in the words of the button. */
  verb: string
  /** Where given, this has to be typed first. */
  typed?: string
  action: () => Promise<Result<unknown>>
  onDone: () => void
  children: ReactNode
}

/** Asks before something that cannot be taken back. Stays open, with the reason, where it fails. */
export const ConfirmDialog = ({ open, title, ...rest }: ConfirmDialogProps) => (
  <Dialog open={open} onOpenChange={rest.onOpenChange} title={title}>
    <Confirm {...rest} />
  </Dialog>
)

/** Lives as long as the dialog is open, so that nothing of one try is there at the next. */
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
