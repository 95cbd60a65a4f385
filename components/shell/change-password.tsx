'use client'
import type { Route } from 'next'
import { useRouter } from 'next/navigation'
import type { FormEvent, ReactNode } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { changePassword } from '@/lib/actions/account'
import { SignOutButton } from './sign-out'

type ChangePasswordProps = { open: boolean; onOpenChange: (open: boolean) => void }

export const ChangePassword = ({ open, onOpenChange }: ChangePasswordProps) => (
  <Dialog
    open={open}
    onOpenChange={onOpenChange}
    title="Change password"
    description="You stay signed in here and are signed out everywhere else."
  >
    <PasswordForm
      onDone={() => {
        onOpenChange(false)
        toast.success('Password changed. Your other sessions were signed out.')
      }}
    >
      <Button onClick={() => onOpenChange(false)}>Cancel</Button>
    </PasswordForm>
  </Dialog>
)

/** Changes an initial password, then opens the page that was asked for. */
export function InitialPasswordForm({ next }: { next: Route }) {
  const router = useRouter()
  return (
    <PasswordForm
      onDone={() => {
        router.replace(next)
        router.refresh()
      }}
    >
      <SignOutButton />
    </PasswordForm>
  )
}

/** `children` are further buttons. */
function PasswordForm({ onDone, children }: { onDone: () => void; children: ReactNode }) {
  const { isBusy, error, fieldError, save } = useSave<null>()
  const element = useFocusRefused(error)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void save(() => changePassword({ current: String(form.get('current')), next: String(form.get('next')) }), onDone)
  }
  const [currentError, nextError] = [fieldError('current'), fieldError('next')]
  return (
    <form method="post" ref={element} onSubmit={submit} className="flex flex-col gap-3">
      {error && !currentError && !nextError ? <ErrorNotice error={error} /> : null}
      <Field id="current-password" label="Current password" error={currentError}>
        <Input
          id="current-password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          {...(currentError ? describedBy('current-password', currentError) : {})}
        />
      </Field>
      <Field id="new-password" label="New password" hint="At least 12 characters." error={nextError}>
        <Input
          id="new-password"
          name="next"
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          {...describedBy('new-password', nextError)}
        />
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Change password
        </Button>
      </div>
    </form>
  )
}
