'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import type { Result } from '@/lib/errors'
import { useSave } from './use-save'

type Props<T> = {
  initial: string
  maxLength: number
  write: (name: string) => Promise<Result<T>>
  onDone: (saved: T) => void
  onCancel: () => void
}

/** Asks for a name to save something under. The server's error is shown at the field. */
export function NameForm<T>({ initial, maxLength, write, onDone, onCancel }: Props<T>) {
  const [name, setName] = useState(initial)
  const { isBusy, error, fieldError, save } = useSave<T>()
  const refused = fieldError('name')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save(() => write(name), onDone)
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <Field id="kept-name" label="Name" error={refused}>
        <Input
          id="kept-name"
          autoFocus
          autoComplete="off"
          maxLength={maxLength}
          value={name}
          onChange={(event) => setName(event.target.value)}
          {...describedBy('kept-name', refused)}
        />
      </Field>
      {error && !refused ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!name.trim()}>
          Save
        </Button>
      </div>
    </form>
  )
}
