import 'server-only'
import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import { db, LOCKS } from '../process/db'
import { log } from '../process/log'
import { within } from '../process/within'
import { createLimiter, type Limit } from './limiter'
import { network } from './rate-limit'

/** What an instance takes of a limit at once. */
const SLICES = 20
/** How long it keeps what it has taken; the rest is given back. */
const HELD_MS = 2_000
/** How long it does not ask again about a limit that is used up, while some instance may give a part back. */
const REFUSED_MS = 1_000
const DATABASE_MS = 1_000
/** After a failure of the database. */
const APART_MS = 5_000
/** Slices that an instance takes for addresses. They can be any number, and each slice is a write. */
const ADDRESSES = { key: 'slices for addresses', max: 1_000, windowMs: 60_000 }

type Refusal = { isAllowed: false; retryAfterMs: number }
type Answer = { isAllowed: true } | Refusal
type Attempt =
  | {
      isAllowed: true
      /** Counts it for all instances, which may refuse it. */
      count(): Promise<Answer>
      /** After a success: it no longer counts. */
      forgive(): void
    }
  | Refusal
type SharedLimit = Limit & { isOfAddress?: true }
type Slice = { id: string; windowMs: number; left: number; used: number; usedAt: number; endsAt: number }
type Grant = { amount: number } | { amount: null; waitMs: number; mayEndSooner: boolean }

/** The limit of a caller without an account. */
export const addressLimit = (of: string, address: string | null, limit: Omit<Limit, 'key'>): SharedLimit => ({
  ...limit,
  key: `${of}:${network(address ?? 'unknown')}`,
  isOfAddress: true,
})

/** Throws AppError rate_limited for an attempt that is refused. */
export function assertAllowed<T extends { isAllowed: boolean }>(
  attempt: T | Refusal,
  message = 'Too many attempts. Wait a minute and try again.',
): asserts attempt is Exclude<T, Refusal> {
  if (!attempt.isAllowed && 'retryAfterMs' in attempt)
    throw new AppError('rate_limited', message, { retryAfterMs: attempt.retryAfterMs })
}

/**
 * Counts attempts by key for all instances: each takes slices of a limit from the database and uses them up by itself, so
 * that together they never allow more than the limit (docs/decisions/0092-shared-limits.md). While the database is away,
 * each counts alone; beyond `ADDRESSES`, it counts further addresses alone.
 */
export function createSharedLimiter(now: () => number = Date.now) {
  const own = createLimiter(now)
  const held = new Map<string, Slice>()
  const refused = new Map<string, { endsAt: number; roomAt: number }>()
  const taking = new Map<string, Promise<void>>()
  let ended: Slice[] = []
  let apartUntil = 0
  let crowdedUntil = 0
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
    else if (grant.amount === null) {
      const { waitMs, mayEndSooner } = grant
      refused.set(name, { endsAt: now() + (mayEndSooner ? REFUSED_MS : waitMs), roomAt: now() + waitMs })
    } else {
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
    for (const [name, { endsAt }] of refused) if (at >= endsAt) refused.delete(name)
    const told = ended
    ended = []
    if (held.size + refused.size > 0) timer = setTimeout(() => void settle(), HELD_MS).unref()
    // What cannot be told counts in full until its window is over.
    if (told.length > 0) await tell(told, at).catch((error: unknown) => log.warn('limits.not_settled', { error }))
  }

  function refusalOf(name: string): Refusal | undefined {
    const known = refused.get(name)
    if (!known || now() >= known.endsAt) return undefined
    return { isAllowed: false, retryAfterMs: Math.max(known.roomAt - now(), 1000) }
  }

  /** Uses a part of a slice, which it returns; undefined if the attempt counts here alone. */
  async function use(limit: SharedLimit): Promise<Slice | Refusal | undefined> {
    const name = nameOf(limit)
    for (;;) {
      const slice = held.get(name)
      if (slice && slice.left > 0 && now() < slice.endsAt) {
        slice.left -= 1
        slice.used += 1
        slice.usedAt = now()
        return slice
      }
      const refusal = refusalOf(name)
      if (refusal) return refusal
      if (isApart()) return undefined
      if (limit.isOfAddress && !taking.has(name) && !own.take([ADDRESSES]).isAllowed) {
        crowdedUntil = now() + APART_MS
        return undefined
      }
      const taken = taking.get(name) ?? takeSlice(name, limit).finally(() => taking.delete(name))
      taking.set(name, taken)
      await taken
    }
  }

  /** Begins an attempt, which counts in this instance from now on. Costs no database. */
  function begin(...limits: SharedLimit[]): Attempt {
    const mine = own.take(limits)
    if (!mine.isAllowed) return mine
    const { forgive } = mine
    const refusal = limits.map((limit) => refusalOf(nameOf(limit))).find(Boolean)
    if (refusal) {
      forgive()
      return refusal
    }
    return {
      isAllowed: true,
      forgive,
      async count() {
        const used: Slice[] = []
        for (const limit of limits) {
          const one = await use(limit)
          if (one && 'isAllowed' in one) {
            forgive()
            for (const slice of used) Object.assign(slice, { left: slice.left + 1, used: slice.used - 1 })
            return one
          }
          if (one) used.push(one)
        }
        return { isAllowed: true }
      },
    }
  }

  return {
    isApart,
    /** Whether so many addresses ask that further ones are counted here alone. */
    isCrowded: () => now() < crowdedUntil,
    settle,
    begin,
    /** Takes one attempt against all limits. It is allowed if none is used up, and counts only then. */
    async take(...limits: SharedLimit[]): Promise<Answer> {
      const attempt = begin(...limits)
      return attempt.isAllowed ? await attempt.count() : attempt
    },
  }
}

const nameOf = ({ key }: Limit): string => createHash('sha256').update(key).digest('hex')

const shared = globalThis as { pilothouseLimiter?: ReturnType<typeof createSharedLimiter> }

/** The one of this process. */
export function sharedLimiter() {
  shared.pilothouseLimiter ??= createSharedLimiter()
  return shared.pilothouseLimiter
}

/** Does what an address may fail at only so often: without a result it counts. Throws AppError rate_limited. */
export async function limitFailures<T extends object>(
  limit: SharedLimit,
  work: () => Promise<T | null | undefined>,
  message?: string,
): Promise<T | undefined> {
  const attempt = sharedLimiter().begin(limit)
  assertAllowed(attempt, message)
  const result = await work().catch((error: unknown) => {
    attempt.forgive() // it says nothing about what was given
    throw error
  })
  if (result) {
    attempt.forgive()
    return result
  }
  assertAllowed(await attempt.count(), message) // only now, so that a success writes nothing for its address
  return undefined
}

const clock = sql.raw('clock_timestamp()')
const ms = (count: number) => sql`${count} * interval '1 millisecond'`

/**
 * Until it is told how much of it was used, a slice counts as used up at the last moment. Those taken or used in the last
 * seconds may still be given back.
 */
async function reserve(id: string, name: string, { max, windowMs }: Limit): Promise<Grant> {
  return await (await db()).transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${LOCKS.limits}, hashtext(${name}))`)
    const { rows } = await transaction.execute<{
      amount: number | null
      wait: number | null
      soon: boolean | null
    }>(sql`
      with counted as (
        select coalesce(sum(amount), 0)::int as amount, min(until) as until,
          bool_or(until > ${clock} + ${ms(windowMs - HELD_MS)}) as soon
        from console.limit_slices where key = ${name} and until > ${clock}
      ), taken as (
        insert into console.limit_slices (id, key, amount, until)
        select ${id}::uuid, ${name}, least(${Math.ceil(max / SLICES)}::int, ${max}::int - amount),
          ${clock} + ${ms(HELD_MS + windowMs)}
        from counted where amount < ${max}::int returning amount
      )
      select taken.amount, extract(epoch from counted.until - ${clock})::float8 * 1000 as wait, soon
      from counted left join taken on true`)
    const { amount = null, wait, soon } = rows[0] ?? {}
    return amount === null ? { amount, waitMs: Math.ceil(wait ?? windowMs), mayEndSooner: soon ?? true } : { amount }
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
