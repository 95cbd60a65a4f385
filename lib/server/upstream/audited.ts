import 'server-only'
import { AppError, HTTP_STATUS } from '@/lib/errors'
import { type AuditEntry, recordIntent, recordOutcome } from '../audit/trail'
import { log } from '../process/log'
import type { CallContext } from './call-context'
import type { Exchanged } from './exchange'

type Entry = Pick<AuditEntry, 'workspace' | 'operation' | 'params' | 'fields'>

/** A write is sent only once its intent is on record; its outcome follows, whatever it is. */
export async function withAudit<T>(
  entry: Entry,
  { actor, role, requestId }: CallContext,
  work: () => Promise<Exchanged<T>>,
): Promise<T> {
  const intent = await recordIntent({ ...entry, actor, role, requestId })
  // The change has happened or not by the time an outcome is recorded: that the record failed must not hide which.
  const note = (status: number, outcome: string, upstreamStatus?: number) =>
    recordOutcome({ intent, status, outcome, upstreamStatus }).catch((error: unknown) =>
      log.error('audit.outcome_lost', { intent: intent.seq, requestId, status, outcome, error }),
    )
  try {
    const { status, value } = await work()
    await note(200, 'done', status)
    return value
  } catch (error) {
    const { code, upstreamStatus } =
      error instanceof AppError ? error.view : { code: 'internal' as const, upstreamStatus: undefined }
    await note(HTTP_STATUS[code], code, upstreamStatus)
    throw error
  }
}
