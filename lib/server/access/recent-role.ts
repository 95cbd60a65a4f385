import 'server-only'
import type { Role } from '@/lib/contracts/wire/api'
import { type Actor, roleOf } from './actor'

const known = new Map<string, { role: Promise<Role | null>; until: number }>()

/** As `roleOf`, looked up once for all streams of a session that check their rights within `freshMs` of each other. */
export function recentRoleOf(actor: Actor, workspace: string, freshMs: number): Promise<Role | null> {
  const now = Date.now()
  const key = JSON.stringify([actor.id, actor.session, workspace])
  const fresh = known.get(key)
  if (fresh && fresh.until > now) return fresh.role
  for (const [one, { until }] of known) if (until <= now) known.delete(one)
  const role = roleOf(actor, workspace)
  known.set(key, { role, until: now + freshMs })
  return role
}
