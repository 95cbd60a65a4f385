'use client'
import type { FormEvent } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { setRole } from '@/lib/actions/members'
import { ROLES, type Role } from '@/lib/contracts/wire/api'
import { DeploymentRolesField, SOME, useGivenRights } from './given-rights'
import type { MemberShown } from './member-actions'

type RolesDialogProps = {
  workspace: string
  /** With the roles that the dialog begins with. */
  member: MemberShown
  names: Record<string, string>
  onClose: () => void
  onSaved: () => void
}

/** A member's role in the workspace, and their roles for some of its deployments. */
export function RolesDialog({ workspace, member, names, onClose, onSaved }: RolesDialogProps) {
  const { account, email } = member
  const { isBusy, error, fieldError, save } = useSave<null>()
  const element = useFocusRefused(error)
  const given = useGivenRights(member)
  const { role, deployments } = given
  const problem = fieldError('deployments')
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    void save(() => setRole({ workspace, account, role, deployments }), onSaved)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Roles of ${email}`}
      description="Without a role in the workspace, they see the chosen deployments and nothing else."
    >
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {error && !problem ? <ErrorNotice error={error} /> : null}
        <Field id="roles-workspace" label="Role in the workspace">
          <Select
            id="roles-workspace"
            value={role ?? SOME}
            onChange={({ target }) => given.setRole(target.value === SOME ? null : (target.value as Role))} // the options are the roles
          >
            <option value={SOME}>None</option>
            {ROLES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        </Field>
        {role === 'admin' ? (
          <p className="text-ink-2 text-sm">An admin of the workspace is admin of every deployment.</p>
        ) : (
          <DeploymentRolesField
            workspace={workspace}
            deployments={deployments}
            names={names}
            error={problem}
            onChange={given.setDeployments}
          />
        )}
        <FormButtons verb="Save roles" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
