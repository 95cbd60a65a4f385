'use client'
import { useRouter } from 'next/navigation'
import type { FormEvent } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { inviteMember } from '@/lib/actions/members'
import { DeploymentRolesField, RoleField, useGivenRights } from './given-rights'
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
  const problem = fieldError('deployments')
  const given = useGivenRights()
  const { role, deployments } = given

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const sent = event.currentTarget
    const form = new FormData(sent)
    const email = String(form.get('email'))
    void save(
      () => inviteMember({ workspace, email, role, ...(role ? {} : { deployments }) }),
      ({ password }) => {
        sent.reset()
        given.setRole('viewer')
        given.setDeployments({})
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
        <RoleField id="member-role" given={given} />
        <Button type="submit" isBusy={isBusy} reason={reason}>
          Add member
        </Button>
        <Button reason={reason} onClick={onInvite}>
          Invite by link…
        </Button>
      </div>
      {role ? null : (
        <div className="mt-2 max-w-lg">
          <DeploymentRolesField
            workspace={workspace}
            deployments={deployments}
            error={problem}
            onChange={given.setDeployments}
          />
        </div>
      )}
      {/* Below the row, so that an error does not shift the fields. */}
      {emailError ? (
        <p id="member-email-error" role="alert" className="mt-1 text-error text-xs">
          {emailError}
        </p>
      ) : error && !problem ? (
        <ErrorNotice error={error} className="mt-2" />
      ) : null}
    </form>
  )
}
