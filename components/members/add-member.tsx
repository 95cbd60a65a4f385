'use client'
import { useRouter } from 'next/navigation'
import type { FormEvent } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { inviteMember } from '@/lib/actions/members'
import { ROLES, type Role } from '@/lib/contracts/wire/api'
import type { ShownPassword } from './new-password'

type AddMemberProps = {
  workspace: string
  onPassword: (password: ShownPassword) => void
  /** Invites by a link instead. */
  onInvite: () => void
}

/** Adds a member. A new email address gets an account, with a password that is shown once. */
export function AddMember({ workspace, onPassword, onInvite }: AddMemberProps) {
  const router = useRouter()
  const reason = useReasons().administer
  const { isBusy, error, fieldError, save } = useSave<{ account: string; password: string | null }>()
  const element = useFocusRefused(error)
  const emailError = fieldError('email')

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const sent = event.currentTarget
    const form = new FormData(sent)
    const email = String(form.get('email'))
    void save(
      () => inviteMember({ workspace, email, role: form.get('role') as Role }), // the options are the roles
      ({ password }) => {
        sent.reset()
        router.refresh()
        if (password) onPassword({ email, value: password })
        else toast.success(`Added ${email}`)
      },
    )
  }
  return (
    <form ref={element} onSubmit={submit} className="mb-4">
      <div className="flex flex-wrap items-end gap-2">
        <Field id="member-email" label="Email" className="w-full sm:w-72">
          <Input
            id="member-email"
            name="email"
            type="email"
            required
            autoComplete="off"
            {...(emailError ? describedBy('member-email', emailError) : {})}
          />
        </Field>
        <Field id="member-role" label="Role">
          <Select id="member-role" name="role" defaultValue="viewer">
            {ROLES.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </Select>
        </Field>
        <Button type="submit" isBusy={isBusy} reason={reason}>
          Add member
        </Button>
        <Button reason={reason} onClick={onInvite}>
          Invite by link…
        </Button>
      </div>
      {/* Below the row, so that an error does not shift the fields. */}
      {emailError ? (
        <p id="member-email-error" role="alert" className="mt-1 text-error text-xs">
          {emailError}
        </p>
      ) : error ? (
        <ErrorNotice error={error} className="mt-2" />
      ) : null}
    </form>
  )
}
