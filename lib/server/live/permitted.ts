import 'server-only'
import type { Subscription } from '@/lib/contracts/wire/live'
import { deploymentsWith, highestRole, type Rights, roleAt } from '@/lib/contracts/wire/rights'

/** Whether these rights allow a subscription: to its deployment, or to a list, which then has no others than theirs. */
export function mayFollow(rights: Rights, wanted: Subscription): boolean {
  // A recording is checked when it is opened, since only its record tells its deployment.
  const deployment = 'deployment' in wanted ? wanted.deployment : undefined
  return (deployment === undefined ? highestRole(rights) : roleAt(rights, deployment)) !== null
}

/** The only deployments that a connection may tell of; null: all of the workspace. */
export const followed = (rights: Rights): string[] | null => deploymentsWith(rights, 'viewer')
