'use client'
import { type FormEvent, useState } from 'react'
import { toast } from '@/components/ui/toast'
import { ErrorNotice } from '@/components/shared/error-notice'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { changePassword } from '@/lib/actions/account'
import type { ErrorView } from '@/lib/errors'

export function ChangePassword({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ErrorView>()
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    const result = await changePassword({ current: String(form.get('current')), next: String(form.get('next')) })
    setBusy(false)
    if (!result.ok) return setError(result.error)
    setError(undefined)
    onOpenChange(false)
    toast.success('Your password is changed. Your other sessions have ended.')
  }
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Change password" description="Your other sessions end; this one goes on.">
      <form onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={error} /> : null}
        <Field id="current-password" label="Current password">
          <Input id="current-password" name="current" type="password" autoComplete="current-password" required />
        </Field>
        <Field id="new-password" label="New password" hint="At least 12 characters.">
          <Input id="new-password" name="next" type="password" autoComplete="new-password" required minLength={12} />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={() => onOpenChange(false)}>Keep the old one</Button>
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Change password
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
