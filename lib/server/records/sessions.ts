import 'server-only'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { SessionView } from '@/lib/contracts/session'
import { AppError } from '@/lib/errors'
import { type Actor, assertSession, EVERYWHERE } from '../access/actor'
import { SESSION_SECONDS } from '../access/session'
import { audited, authorizeRead } from '../audit/own-records'
import { listSeenSessions, refuseSession } from '../identity/sessions'

/** The sessions of an account, the one that asks first, then by last use. All users may read their own. */
export async function listSessions(actor: Actor, account: string): Promise<SessionView[]> {
  if (account === actor.id) await assertSession(actor)
  else await authorizeRead(consoleRecords.readSessions, actor, EVERYWHERE)
  const sessions = (await listSeenSessions(account)).map(({ endsAt, lastSeenAt, ...session }) => ({
    ...session,
    startedAt: new Date(endsAt.getTime() - SESSION_SECONDS * 1000).toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    isCurrent: session.id === actor.session?.id,
  }))
  return sessions.sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
}

/** Ends one session of an account, including its open streams. All users may end their own. Throws AppError not_found. */
export async function endSession(
  actor: Actor,
  { account, session }: { account: string; session: string },
  requestId: string,
): Promise<void> {
  const op = consoleRecords.endSession
  const own = account === actor.id ? { ...op, role: null } : op
  await audited(own, { actor, workspace: EVERYWHERE, params: { account, session }, requestId }, async () => {
    const found = (await listSeenSessions(account)).find(({ id }) => id === session)
    if (!found) throw new AppError('not_found', 'This session has already ended.')
    await refuseSession(found.id, found.endsAt)
  })
}
