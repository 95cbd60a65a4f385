'use client'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { SecretDialog } from '@/components/shared/form/secret-dialog'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { createInvitation } from '@/lib/actions/invitations'
import { INVITATION_DAYS, type InvitationDays } from '@/lib/contracts/invitation'
import { routes } from '@/lib/routes'
import { DeploymentRolesField, RoleField, useGivenRights } from './given-rights'

type Props = { workspace: string; origin: string; onClose: () => void }
type Made = { email: string; link: string }

/** Invites a person by a link, which is shown once. */
export function InviteDialog({ workspace, origin, onClose }: Props) {
  const router = useRouter()
  const [made, setMade] = useState<Made>()
  return made ? (
    <SecretDialog
      title="Invitation link"
      description={`For ${made.email}. Shown only once and works once. Pass it on securely.`}
      value={made.link}
      what="link"
      onClose={onClose}
    />
  ) : (
    <Dialog
      open
      onOpenChange={onClose}
      title="Invite by link"
      description="The person opens the link and chooses a name and a password, or signs in with single sign-on."
    >
      <InviteForm
        workspace={workspace}
        onClose={onClose}
        onMade={(email, token) => {
          setMade({ email, link: `${origin}${routes.invite()}#${token}` })
          router.refresh()
        }}
      />
    </Dialog>
  )
}

type FormProps = { workspace: string; onClose: () => void; onMade: (email: string, token: string) => void }

function InviteForm({ workspace, onClose, onMade }: FormProps) {
  const { isBusy, error, fieldError, save } = useSave<{ token: string }>()
  const element = useFocusRefused(error)
  const emailError = fieldError('email')
  const problem = fieldError('deployments')
  const given = useGivenRights()
  const { role, deployments } = given
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const email = String(form.get('email'))
    void save(
      () =>
        createInvitation({
          workspace,
          email,
          role,
          ...(role ? {} : { deployments }),
          days: Number(form.get('days')) as InvitationDays, // the options are these numbers
        }),
      ({ token }) => onMade(email, token),
    )
  }
  return (
    <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
      {error && !emailError && !problem ? <ErrorNotice error={error} /> : null}
      <Field id="invite-email" label="Email of the person" hint="The link is for this address only." error={emailError}>
        <Input
          id="invite-email"
          name="email"
          type="email"
          required
          autoComplete="off"
          {...describedBy('invite-email', emailError)}
        />
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <RoleField id="invite-role" given={given} />
        <Field id="invite-days" label="Expires">
          <Select id="invite-days" name="days" defaultValue="7">
            {INVITATION_DAYS.map((days) => (
              <option key={days} value={days}>
                in {days === 1 ? '1 day' : `${days} days`}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      {role ? null : (
        <DeploymentRolesField
          workspace={workspace}
          deployments={deployments}
          error={problem}
          onChange={given.setDeployments}
        />
      )}
      <FormButtons verb="Create link" isBusy={isBusy} onClose={onClose} />
    </form>
  )
}
