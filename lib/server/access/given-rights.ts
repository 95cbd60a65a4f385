import 'server-only'
import { z } from 'zod'
import { isAtLeast, ROLES, type Role } from '@/lib/contracts/wire/api'
import { type DeploymentRoles, MOST_DEPLOYMENT_ROLES, type Rights } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { EVERYWHERE } from './actor'

/** Roles by deployment id, as an action takes them. */
export const GivenDeploymentRoles = z.record(
  z.string().regex(/^[\w-]{1,100}$/, 'This is no id of a deployment.'),
  z.enum(ROLES),
)

/** Rights that an administrator gives. */
export type GivenRights = { role: Role | null; deployments?: DeploymentRoles }

/** The rights to store, without roles for deployments that the workspace's includes. Throws AppError invalid. */
export function checkedRights(workspace: string, { role, deployments = {} }: GivenRights): Rights {
  const raised = Object.entries(deployments).filter(([, one]) => !role || !isAtLeast(role, one))
  if (workspace === EVERYWHERE && raised.length > 0)
    throw invalid('A member of the whole console has one role everywhere.')
  if (!role && raised.length === 0) throw invalid('Choose at least one deployment.')
  if (raised.length > MOST_DEPLOYMENT_ROLES) throw invalid(`Choose at most ${MOST_DEPLOYMENT_ROLES} deployments.`)
  return { role, deployments: Object.fromEntries(raised) }
}

const invalid = (message: string) => new AppError('invalid', message, { fields: [{ path: ['deployments'], message }] })

/** What the audit trail records of rights: `deployments` are pairs of id and role. */
export const auditedRights = ({ role, deployments }: Rights): Record<string, string> => ({
  ...(role && { role }),
  ...(Object.keys(deployments).length > 0 && {
    deployments: Object.entries(deployments)
      .map((pair) => pair.join('='))
      .join(','),
  }),
})
