import 'server-only'
import type { Role } from '@/lib/contracts/wire/api'
import { type Actor, roleOf } from './actor'

const known = new Map<string, { role: Promise<Role | null>; until: number }>()

/** Like `roleOf`, but connections of one session that check within `freshMs` of each other share the response. */
export function recentRoleOf(actor: Actor, workspace: string, freshMs: number): Promise<Role | null> {
  const now = Date.now()
  const key = JSON.stringify([actor.id, actor.session, workspace])
  const fresh = known.get(key)
  if (fresh && fresh.until > now) return fresh.role
  for (const [one, { until }] of known) if (until <= now) known.delete(one)
  const role = roleOf(actor, workspace)
  known.set(key, { role, until: now + freshMs })
  // After an outage, the next one asks again.
  role.catch(() => {
    if (known.get(key)?.role === role) known.delete(key)
  })
  return role
}
