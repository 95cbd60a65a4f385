import 'server-only'
import { isAtLeast, type Operation, type Role } from '@/lib/contracts/wire/api'
import { isRecord } from '@/lib/json/guards'
import type { Workspace } from '../access/workspaces'
import type { CallContext } from './call-context'

/** Whether this role may see the names of a deployment's secrets in the workspace. Nobody ever sees the values. */
export const mayNameSecrets = (role: Role, { secretNames }: Pick<Workspace, 'secretNames'>): boolean =>
  secretNames === 'members' || isAtLeast(role, 'admin')

/** A control-plane response without secret names where only administrators may see them. */
export function visibleTo<T>({ role, workspace }: CallContext, op: Operation, value: T): T {
  if (op.api !== 'control-plane' || mayNameSecrets(role, workspace)) return value
  return withoutNames(value) as T // the same shape, with empty lists
}

function withoutNames(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { secrets, resources } = value
  return {
    ...value,
    ...(Array.isArray(secrets) && { secrets: [] }),
    ...(Array.isArray(resources) && { resources: resources.map(withoutNames) }),
  }
}
