import 'server-only'
import type { Role } from '@/lib/contracts/wire/api'
import { AppError, HTTP_STATUS } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { db } from '../process/db'
import { assertLease } from '../process/lease'
import { log, printable } from '../process/log'
import { shutdownSignal } from '../process/shutdown'
import { anchor } from './anchor'
import { type AuditDraft, type AuditHead, appendRows, canAppend } from './chain'

/** What the trail records about a write or a denial. `fields` are names only; `params` are path parameters. */
export type AuditEntry = {
  actor: Actor
  role: Role | null
  workspace: string
  operation: string
  params: Record<string, string>
  fields: string[]
  requestId: string
}
/** A recorded intent, to pass to `recordOutcome`. */
export type Intent = { seq: number; entry: AuditEntry }

type Waiting = { draft: AuditDraft; resolve: (seq: number) => void; reject: (error: unknown) => void }
type Queue = { waiting: Waiting[]; isBusy: boolean; head: AuditHead | undefined; anchored: number }
const shared = globalThis as { pilothouseAudit?: Queue }

const ANCHOR_EVERY = 50
const BATCH = 200

function queue(): Queue {
  if (!shared.pilothouseAudit) {
    const made: Queue = { waiting: [], isBusy: false, head: undefined, anchored: 0 }
    shared.pilothouseAudit = made
    shutdownSignal().addEventListener('abort', () => {
      if (shared.pilothouseAudit === made && made.head && made.head.seq > made.anchored) anchor(made.head)
    })
  }
  return shared.pilothouseAudit
}

/** For tests: resets the state to that of a new process. */
export function forgetAuditQueue(): void {
  shared.pilothouseAudit = undefined
}

/** Whether this process has the sealing key with which the trail was sealed, so that it can record anything. */
export const canRecord = async (): Promise<boolean> => canAppend(await db())

/** Batches the writers of one process, so that they wait for the chain's lock once, on one connection. */
function append(draft: AuditDraft): Promise<number> {
  const line = queue()
  return new Promise((resolve, reject) => {
    line.waiting.push({ draft, resolve, reject })
    if (!line.isBusy) void drain(line)
  })
}

async function drain(line: Queue): Promise<void> {
  line.isBusy = true
  while (line.waiting.length > 0) {
    const batch = line.waiting.splice(0, BATCH)
    try {
      const head = await appendRows(
        await db(),
        batch.map(({ draft }) => draft),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(head.seq - batch.length + 1 + index)
      const isNewChain = line.head?.chain !== head.chain
      line.head = head
      if (isNewChain || head.seq - line.anchored >= ANCHOR_EVERY) {
        line.anchored = head.seq
        anchor(head)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  line.isBusy = false
}

function draftOf(entry: AuditEntry, more: Pick<AuditDraft, 'kind'> & Partial<AuditDraft>): AuditDraft {
  const { actor, role, params, fields } = entry
  return {
    actor: printable(actor.id),
    actorEmail: printable(actor.email),
    role,
    // Callers control these texts. PostgreSQL refuses NUL, and escapes could harm a reader's terminal.
    workspace: printable(entry.workspace),
    operation: printable(entry.operation),
    params,
    fields,
    requestId: printable(entry.requestId),
    intent: null,
    upstreamStatus: null,
    outcome: null,
    ...more,
  }
}

/** Records that a write is about to be sent. Throws AppError internal if that fails, so that the write is not sent. */
export async function recordIntent(entry: AuditEntry): Promise<Intent> {
  try {
    return { seq: await append(draftOf(entry, { kind: 'intent' })), entry }
  } catch (cause) {
    log.error('audit.intent_refused', { operation: entry.operation, requestId: entry.requestId, error: cause })
    throw new AppError('internal', 'The change could not be recorded in the audit trail, so nothing was changed.', {
      requestId: entry.requestId,
      cause,
    })
  }
}

/** Records the outcome of an intent: `status` is what our caller got, `upstreamStatus` what the upstream responded. */
export async function recordOutcome(given: {
  intent: Intent
  status: number
  outcome: string
  upstreamStatus?: number
}): Promise<void> {
  const { intent, status, outcome, upstreamStatus } = given
  const text = printable(`${status} ${outcome}`)
  await append(
    draftOf(intent.entry, {
      kind: 'outcome',
      intent: intent.seq,
      outcome: text,
      upstreamStatus: upstreamStatus ?? null,
    }),
  )
}

/** Records a denial. A failure is only logged, since the request is refused either way. */
export async function recordDenial(entry: AuditEntry & { outcome?: string }): Promise<void> {
  const { outcome = 'refused', requestId, operation } = entry
  log.warn('audit.denial', { actor: entry.actor.id, operation, workspace: entry.workspace, requestId })
  await append(draftOf(entry, { kind: 'denial', outcome: printable(outcome) })).catch((error: unknown) =>
    log.error('audit.denial_lost', { operation, requestId, error }),
  )
}

/** Records the intent of a write, makes it and records its outcome. Does nothing if the intent cannot be recorded. */
export async function withAudit<T>(entry: AuditEntry, work: () => Promise<{ status?: number; value: T }>): Promise<T> {
  const intent = await recordIntent(entry)
  // A failure to record the outcome must not hide whether the change was made.
  const note = (status: number, outcome: string, upstreamStatus?: number) =>
    recordOutcome({ intent, status, outcome, upstreamStatus }).catch((error: unknown) =>
      log.error('audit.outcome_lost', { intent: intent.seq, requestId: entry.requestId, status, outcome, error }),
    )
  try {
    await assertLease()
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
