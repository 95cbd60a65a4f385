import 'server-only'
import type { Thread } from '@/lib/contracts/agents/threads'
import { isStoppedThread } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'

// Python servers call a thread interrupted after a cancel, and say why only where the whole thread is read.

type Body = { select?: string[] | null | undefined; ids?: string[] | null | undefined; limit?: number | undefined }
type Read = (body: { ids: string[]; limit: number }) => Promise<Thread[]>

/** Threads read at once with their values, which may be megabytes each. */
const PAGE = 10
const MOST_READ = 30
const MOST_KEPT = 2_000
const kept = new Map<string, { updatedAt: string; status: Thread['status'] }>()

/** A search that also selects what tells whether a thread was cancelled. */
export function withReasons<B extends Body>(body: B): B {
  if (!body.select?.includes('status')) return body
  return { ...body, select: [...new Set([...body.select, 'interrupts', 'updated_at'])] }
}

/** The rows, with the status `idle` where the last run was cancelled. `place` names the server. */
export async function settleCancelled(rows: Thread[], { select }: Body, place: string, read: Read): Promise<Thread[]> {
  if (!select?.includes('status')) return rows
  const keyOf = ({ thread_id }: Thread) => `${place} ${thread_id}`
  const knownOf = (row: Thread) => {
    const known = kept.get(keyOf(row))
    return known && known.updatedAt === (row.updated_at ?? '') ? known : undefined
  }
  const stopped = rows.filter(isStoppedThread)
  const unknown = stopped.filter((row) => !knownOf(row)).slice(0, MOST_READ)
  for (let from = 0; from < unknown.length; from += PAGE) {
    const ids = unknown.slice(from, from + PAGE).map(({ thread_id }) => thread_id)
    const found = await read({ ids, limit: ids.length }).catch((error: unknown) => {
      // Without the reason, the status stays as the server says.
      if (error instanceof AppError) return []
      throw error
    })
    if (kept.size >= MOST_KEPT) kept.clear()
    for (const one of found)
      if (ids.includes(one.thread_id)) kept.set(keyOf(one), { updatedAt: one.updated_at ?? '', status: one.status })
  }
  const hasInterrupts = select.includes('interrupts')
  return rows.map((row) => {
    const status = isStoppedThread(row) ? (knownOf(row)?.status ?? row.status) : row.status
    const { interrupts, ...rest } = row
    return { ...(hasInterrupts ? row : rest), status }
  })
}
