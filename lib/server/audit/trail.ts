import 'server-only'
import { and, desc, eq, lt } from 'drizzle-orm'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { type Actor, roleOf } from '../access/actor'
import { db } from '../process/db'
import { log, printable } from '../process/log'
import { audit } from '../process/schema'
import { shutdownSignal } from '../process/shutdown'
import { anchor } from './anchor'
import { type AuditDraft, type AuditHead, appendRows } from './chain'

/** What is recorded of a write or a refusal. `fields` are names only; `params` are the path's. */
export type AuditEntry = {
  actor: Actor
  role: Role | null
  workspace: string
  operation: string
  params: Record<string, string>
  fields: string[]
  requestId: string
}
/** The row to name in `recordOutcome`. */
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

/** For tests: as a process that has written nothing yet. */
export function forgetAuditQueue(): void {
  shared.pilothouseAudit = undefined
}

/** Writers of one process share a transaction: the chain's lock is then waited for once, on one connection. */
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
    // What a caller may choose goes in printable form: PostgreSQL takes no NUL, and a reader's terminal no escapes.
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

/** Records that a write is about to be sent. Throws AppError when it cannot be recorded: then the write is not sent. */
export async function recordIntent(entry: AuditEntry): Promise<Intent> {
  try {
    return { seq: await append(draftOf(entry, { kind: 'intent' })), entry }
  } catch (cause) {
    log.error('audit.intent_refused', { operation: entry.operation, requestId: entry.requestId, error: cause })
    throw new AppError('internal', 'This change could not be written to the audit trail, so it was not made.', {
      requestId: entry.requestId,
      cause,
    })
  }
}

/** Records what came of an intent; `status` is what our caller got, `upstreamStatus` what the upstream answered. */
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

/** Records a refusal. It is refused whether or not this can be recorded, so a failure goes to the log. */
export async function recordDenial(entry: AuditEntry & { outcome?: string }): Promise<void> {
  const { outcome = 'refused', requestId, operation } = entry
  log.warn('audit.denial', { actor: entry.actor.id, operation, workspace: entry.workspace, requestId })
  await append(draftOf(entry, { kind: 'denial', outcome: printable(outcome) })).catch((error: unknown) =>
    log.error('audit.denial_lost', { operation, requestId, error }),
  )
}

/** A row as the audit page shows it. */
export type AuditView = {
  seq: number
  at: string
  kind: 'intent' | 'outcome' | 'denial'
  intent: number | null
  actor: string
  role: Role | null
  workspace: string
  operation: string
  params: Record<string, string>
  fields: string[]
  upstreamStatus: number | null
  outcome: string | null
  requestId: string
}

/** A workspace's rows, newest first; `next` is the `before` of the page that follows. Throws AppError forbidden for anybody but an administrator there. */
export async function listAudit(
  reader: Actor,
  { workspace, before, limit = 50 }: { workspace: string; before?: number; limit?: number },
): Promise<{ entries: AuditView[]; next: number | null }> {
  const role = await roleOf(reader, workspace)
  if (!role || !isAtLeast(role, 'admin'))
    throw new AppError('forbidden', 'The audit trail is for administrators of the workspace.')
  const size = Math.min(Math.max(limit, 1), 500)
  const store = await db()
  const rows = await store
    .select()
    .from(audit)
    .where(and(eq(audit.workspace, workspace), before === undefined ? undefined : lt(audit.seq, before)))
    .orderBy(desc(audit.seq))
    .limit(size + 1)
  const entries = rows.slice(0, size).map(({ mac: _mac, actor, actorEmail, at, ...row }) => ({
    ...row,
    actor: actorEmail || actor,
    at: at.toISOString(),
  }))
  return { entries, next: rows.length > size ? (entries.at(-1)?.seq ?? null) : null }
}
