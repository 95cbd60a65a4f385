import 'server-only'
import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { db, LOCKS } from '../process/db'
import { log } from '../process/log'
import { within } from '../process/within'
import { createLimiter, type Limit } from './limiter'

/** What an instance takes of a limit at once. */
const SLICES = 20
/** How long it keeps what it has taken; the rest is given back. */
const HELD_MS = 2_000
/** How long it takes the database's word that a limit is used up, so that a flood does not ask for each request. */
const REFUSED_MS = 1_000
const DATABASE_MS = 1_000
/** After a failure of the database. */
const APART_MS = 5_000

type Answer = { isAllowed: true } | { isAllowed: false; retryAfterMs: number }
type Slice = { id: string; windowMs: number; left: number; used: number; usedAt: number; endsAt: number }
type Grant = { amount: number } | { amount: null; waitMs: number }

/**
 * Counts attempts by key for all instances: each takes slices of a limit from the database and uses them up by itself, so
 * that together they never allow more than the limit (docs/decisions/0092-shared-limits.md). While the database is away,
 * each counts alone.
 */
export function createSharedLimiter(now: () => number = Date.now) {
  const own = createLimiter(now)
  const held = new Map<string, Slice>()
  const refused = new Map<string, { at: number; waitMs: number }>()
  const taking = new Map<string, Promise<void>>()
  let ended: Slice[] = []
  let apartUntil = 0
  let timer: NodeJS.Timeout | undefined

  const isApart = () => now() < apartUntil

  async function takeSlice(name: string, limit: Limit): Promise<void> {
    const [id, startedAt] = [randomUUID(), now()]
    const before = held.get(name)
    if (before) ended.push(before)
    held.delete(name)
    const grant = await within(DATABASE_MS, reserve(id, name, limit), undefined).catch((error: unknown) =>
      log.warn('limits.not_read', { error }),
    )
    if (!grant) apartUntil = now() + APART_MS
    else if (grant.amount === null) refused.set(name, { at: now(), waitMs: grant.waitMs })
    else {
      const { windowMs } = limit
      held.set(name, { id, windowMs, left: grant.amount, used: 0, usedAt: startedAt, endsAt: startedAt + HELD_MS })
    }
    timer ??= setTimeout(() => void settle(), HELD_MS).unref()
  }

  /** Tells the database what became of slices that have ended, and forgets what is over. */
  async function settle(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const at = now()
    for (const [name, slice] of held) {
      if (at < slice.endsAt) continue
      held.delete(name)
      ended.push(slice)
    }
    for (const [name, one] of refused) if (at - one.at >= REFUSED_MS) refused.delete(name)
    const told = ended
    ended = []
    if (held.size > 0) timer = setTimeout(() => void settle(), HELD_MS).unref()
    // What cannot be told counts in full until its window is over.
    if (told.length > 0) await tell(told, at).catch((error: unknown) => log.warn('limits.not_settled', { error }))
  }

  return {
    isApart,
    settle,
    /** Takes one attempt. It is allowed if the limit is not used up, and counts only then. */
    async take(limit: Limit): Promise<Answer> {
      const mine = own.take([limit])
      if (!mine.isAllowed) return mine
      const name = createHash('sha256').update(limit.key).digest('hex')
      while (!isApart()) {
        const slice = held.get(name)
        if (slice && slice.left > 0 && now() < slice.endsAt) {
          slice.left -= 1
          slice.used += 1
          slice.usedAt = now()
          break
        }
        const refusal = refused.get(name)
        if (refusal && now() - refusal.at < REFUSED_MS) {
          mine.forgive()
          return { isAllowed: false, retryAfterMs: Math.max(refusal.waitMs - (now() - refusal.at), 1000) }
        }
        const taken = taking.get(name) ?? takeSlice(name, limit).finally(() => taking.delete(name))
        taking.set(name, taken)
        await taken
      }
      return { isAllowed: true }
    },
  }
}

const shared = globalThis as { pilothouseLimiter?: ReturnType<typeof createSharedLimiter> }

/** The one of this process. */
export function sharedLimiter() {
  shared.pilothouseLimiter ??= createSharedLimiter()
  return shared.pilothouseLimiter
}

const clock = sql.raw('clock_timestamp()')
const ms = (count: number) => sql`${count} * interval '1 millisecond'`

/** Until it is told how much of it was used, a slice counts as used up at the last moment. */
async function reserve(id: string, name: string, { max, windowMs }: Limit): Promise<Grant> {
  return await (await db()).transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${LOCKS.limits}, hashtext(${name}))`)
    const { rows } = await transaction.execute<{ amount: number | null; wait: number | null }>(sql`
      with counted as (
        select coalesce(sum(amount), 0)::int as amount, min(until) as until
        from console.limit_slices where key = ${name} and until > ${clock}
      ), taken as (
        insert into console.limit_slices (id, key, amount, until)
        select ${id}::uuid, ${name}, least(${Math.ceil(max / SLICES)}::int, ${max}::int - amount),
          ${clock} + ${ms(HELD_MS + windowMs)}
        from counted where amount < ${max}::int returning amount
      )
      select taken.amount, extract(epoch from counted.until - ${clock})::float8 * 1000 as wait
      from counted left join taken on true`)
    const amount = rows[0]?.amount ?? null
    return amount === null ? { amount, waitMs: Math.ceil(rows[0]?.wait ?? windowMs) } : { amount }
  })
}

/** From its last use on, what was used of a slice counts for one window. Removes what no longer counts. */
async function tell(slices: readonly Slice[], at: number): Promise<void> {
  const column = (value: (slice: Slice) => string | number) => sql.param(slices.map(value))
  await (await db()).execute(sql`
    with told as (
      update console.limit_slices as known set amount = used, until = ${clock} + ms * interval '1 millisecond'
      from unnest(${column(({ id }) => id)}::uuid[], ${column(({ used }) => used)}::int[],
        ${column(({ usedAt, windowMs }) => usedAt + windowMs - at)}::float8[]) as slice (id, used, ms)
      where known.id = slice.id
    )
    delete from console.limit_slices where until < ${clock}`)
}
