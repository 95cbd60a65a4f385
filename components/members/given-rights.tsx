'use client'
import { useState } from 'react'
import { DeploymentPicker } from '@/components/shared/form/deployment-picker'
import { describedBy, Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { ROLES, type Role } from '@/lib/contracts/wire/api'
import { type DeploymentRoles, MOST_DEPLOYMENT_ROLES, type Rights } from '@/lib/contracts/wire/rights'

/** What a form or a member has chosen: a role in the workspace or none, and roles for deployments. */
export function useGivenRights(before: Rights = { role: 'viewer', deployments: {} }) {
  const [role, setRole] = useState(before.role)
  const [deployments, setDeployments] = useState(before.deployments)
  return { role, deployments, setRole, setDeployments }
}
export type GivenRights = ReturnType<typeof useGivenRights>

/** Stands for no role in the workspace. */
export const SOME = 'some'

/** The options of a role, and the one for some deployments. */
export const RoleOptions = () => (
  <>
    {ROLES.map((one) => (
      <option key={one}>{one}</option>
    ))}
    <option value={SOME}>Only some deployments…</option>
  </>
)

/** A select of the role; without one in the workspace, the deployments are chosen below (`DeploymentRolesField`). */
export const RoleField = ({ id, given: { role, setRole } }: { id: string; given: GivenRights }) => (
  <Field id={id} label="Role">
    <Select
      id={id}
      value={role ?? SOME}
      onChange={({ target }) => setRole(target.value === SOME ? null : (target.value as Role))} // the options are the roles
      {...describedBy(id)}
    >
      <RoleOptions />
    </Select>
  </Field>
)

type DeploymentRolesFieldProps = {
  workspace: string
  deployments: DeploymentRoles
  names?: Record<string, string>
  error: string | undefined
  onChange: (deployments: DeploymentRoles) => void
}

/** Deployments with a role for each. */
export function DeploymentRolesField({ workspace, deployments, names, error, onChange }: DeploymentRolesFieldProps) {
  const choose = (ids: string[]) => onChange(Object.fromEntries(ids.map((id) => [id, deployments[id] ?? 'developer'])))
  return (
    <div className="flex flex-col gap-1">
      <DeploymentPicker
        workspace={workspace}
        chosen={Object.keys(deployments)}
        most={MOST_DEPLOYMENT_ROLES}
        names={names}
        onChange={choose}
        aside={(id, name) => (
          <Select
            aria-label={`Role for ${name}`}
            className="h-7 w-auto shrink-0"
            value={deployments[id]}
            onChange={({ target }) => onChange({ ...deployments, [id]: target.value as Role })} // the options are the roles
          >
            {ROLES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        )}
      />
      {error ? (
        <p role="alert" className="text-error text-xs">
          {error}
        </p>
      ) : null}
    </div>
  )
}
