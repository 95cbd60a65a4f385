'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { DeploymentPicker } from '@/components/shared/form/deployment-picker'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Checkbox } from '@/components/ui/checkbox'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { createToken } from '@/lib/actions/api-tokens'
import { MAX_TOKEN_DEPLOYMENTS, TOKEN_DAYS, type TokenDays } from '@/lib/contracts/api-token'
import { isAtLeast, ROLES, type Role } from '@/lib/contracts/wire/api'
import type { MadeToken } from './new-token'

type Props = {
  workspace: string
  role: Role
  /** Whether the role is for some deployments only. */
  isLimitedMember: boolean
  onClose: () => void
  onMade: (token: MadeToken) => void
}

export function TokenDialog({ workspace, role, isLimitedMember, onClose, onMade }: Props) {
  const { isBusy, error, fieldError, save } = useSave<{ token: string }>()
  const element = useFocusRefused(error)
  const [isLimited, setLimited] = useState(isLimitedMember)
  const [chosen, setChosen] = useState<string[]>([])
  const isAdmin = isAtLeast(role, 'admin') && !isLimitedMember

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const name = String(form.get('name'))
    void save(
      () =>
        createToken({
          workspace,
          name,
          kind: form.get('kind') === 'service' ? 'service' : 'personal',
          role: form.get('role') as Role, // the options are the roles
          deployments: isLimited ? chosen : null,
          days: Number(form.get('days')) as TokenDays, // the options are these numbers
        }),
      ({ token }) => onMade({ name, token }),
    )
  }
  return (
    <Dialog open onOpenChange={onClose} title="Create token">
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        <Field id="token-name" label="Name" hint="The audit trail shows it." error={fieldError('name')}>
          <Input
            id="token-name"
            name="name"
            required
            maxLength={60}
            autoComplete="off"
            {...describedBy('token-name', fieldError('name'))}
          />
        </Field>
        <Field
          id="token-kind"
          label="Belongs to"
          hint={isAdmin ? 'A personal token ends with your membership.' : 'Administrators create service accounts.'}
        >
          <Select
            id="token-kind"
            name="kind"
            defaultValue="personal"
            disabled={!isAdmin}
            {...describedBy('token-kind')}
          >
            <option value="personal">Me</option>
            <option value="service">A service account</option>
          </Select>
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field id="token-role" label="Role">
            <Select id="token-role" name="role" defaultValue="viewer">
              {ROLES.filter((one) => isAtLeast(role, one)).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </Select>
          </Field>
          <Field id="token-days" label="Expires">
            <Select id="token-days" name="days" defaultValue="90">
              {TOKEN_DAYS.map((days) => (
                <option key={days} value={days}>
                  in {days} days
                </option>
              ))}
            </Select>
          </Field>
        </div>
        <Checkbox
          label="Only for some deployments"
          hint="The token then sees no others, and cannot create any."
          checked={isLimited}
          disabled={isLimitedMember}
          onChange={(event) => setLimited(event.target.checked)}
        />
        {isLimited ? (
          <DeploymentPicker workspace={workspace} chosen={chosen} most={MAX_TOKEN_DEPLOYMENTS} onChange={setChosen} />
        ) : null}
        {fieldError('deployments') ? (
          <p role="alert" className="text-error text-xs">
            {fieldError('deployments')}
          </p>
        ) : null}
        <FormButtons verb="Create token" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
