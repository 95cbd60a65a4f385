import { isAtLeast, type Role } from './api'

/** Roles by deployment id. */
export type DeploymentRoles = Readonly<Record<string, Role>>

/**
 * What someone may do in a workspace: a role for all of it, and higher or only roles for some deployments. Without a role for
 * all of it they are limited to those deployments.
 */
export type Rights = { role: Role | null; deployments: DeploymentRoles }

export const NO_RIGHTS: Rights = { role: null, deployments: {} }

/** The most deployments that a member may have roles for. */
export const MOST_DEPLOYMENT_ROLES = 50

/** The highest of these roles; null if there are none. */
export const highest = (roles: readonly (Role | null)[]): Role | null =>
  roles.reduce<Role | null>((best, role) => (best && (!role || isAtLeast(best, role)) ? best : role), null)

/** The lowest of these roles; null if there are none, or one of them is null. */
export const lowest = (roles: readonly (Role | null)[]): Role | null =>
  roles.includes(null) ? null : ([...roles].sort((a, b) => (a && b && isAtLeast(a, b) ? 1 : -1))[0] ?? null)

/** The role at a deployment, or without one for the whole workspace. */
export const roleAt = ({ role, deployments }: Rights, deployment?: string): Role | null =>
  deployment !== undefined && Object.hasOwn(deployments, deployment)
    ? highest([role, deployments[deployment] ?? null])
    : role

/** The deployments where the role is at least this one; null for all of the workspace. */
export const deploymentsWith = ({ role, deployments }: Rights, needed: Role): string[] | null =>
  role && isAtLeast(role, needed)
    ? null
    : Object.keys(deployments)
        .filter((id) => isAtLeast(deployments[id] as Role, needed))
        .sort()

/** The highest role anywhere in the workspace. */
export const highestRole = ({ role, deployments }: Rights): Role | null =>
  highest([role, ...Object.values(deployments)])

/** Whether there are roles for some deployments only. */
export const isLimited = (rights: Rights): boolean => rights.role === null && Object.keys(rights.deployments).length > 0

/** The rights of something that acts for `owner`, with at most this role and within these deployments; null: all. */
export function within(owner: Rights, most: Role, only: readonly string[] | null): Rights {
  const capped = (role: Role | null) => lowest([role, most])
  const ids = only ?? Object.keys(owner.deployments)
  const roles = ids.flatMap((id): [string, Role][] => {
    const role = capped(roleAt(owner, id))
    return role ? [[id, role]] : []
  })
  return { role: only ? null : capped(owner.role), deployments: Object.fromEntries(roles) }
}
