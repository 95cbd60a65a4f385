import 'server-only'
import type { Rights } from '@/lib/contracts/wire/rights'
import { type Actor, rightsOf } from './actor'

/** The longest that a response is shared, whatever a caller accepts. */
const KEPT_MS = 10_000

const known = new Map<string, { rights: Promise<Rights>; at: number }>()

/** Like `rightsOf`, but connections of one session that check within `freshMs` of each other share the response. */
export function recentRightsOf(actor: Actor, workspace: string, freshMs: number): Promise<Rights> {
  const now = performance.now() // a clock that is set back must not keep rights alive
  const key = JSON.stringify([actor.id, actor.session, actor.limit, workspace])
  const recent = known.get(key)
  if (recent && now - recent.at < Math.min(freshMs, KEPT_MS)) return recent.rights
  for (const [one, { at }] of known) if (now - at >= KEPT_MS) known.delete(one)
  const rights = rightsOf(actor, workspace)
  known.set(key, { rights, at: now })
  // After an outage, the next one asks again.
  rights.catch(() => {
    if (known.get(key)?.rights === rights) known.delete(key)
  })
  return rights
}
