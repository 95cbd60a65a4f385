import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import { db, LOCKS } from './db'
import { onHidden, shownInstance } from './instance'

// docs/decisions/0102-through-a-pooler.md

/** A holder that shows nothing for this long has died or hangs, and others may take over. */
const LEASE_MS = 20_000
const RENEW_MS = 5_000
/** An instance without its lock that shows nothing for this long is gone. A lost connection is back sooner. */
const GONE_MS = 1_000
/** After a restart of the database, instances connect again one by one. By then each that lives has renewed its leases. */
const SETTLED_MS = RENEW_MS + 1_000
const now = sql.raw('clock_timestamp()')
const until = sql`${now} + ${LEASE_MS} * interval '1 millisecond'`

export type Lease = {
  /** Renews it. False once others may have it. */
  confirm(): Promise<boolean>
  end(): Promise<void>
}

/** Takes what one holder at a time may have, across all instances. Undefined while another one has it. */
export async function takeLease(name: string): Promise<Lease | undefined> {
  const key = createHash('sha256').update(name).digest('hex')
  const holder = randomUUID()
  if (!(await insert(key, holder))) {
    const gone = await findGone(key)
    if (!gone) return undefined
    await sleep(GONE_MS)
    if (!(await insert(key, holder, gone))) return undefined
  }
  const confirm = async () => {
    const asked = performance.now()
    const renewed = await (await db()).execute(
      sql`update console.leases set until = ${until}, instance = ${own()} where key = ${key} and holder = ${holder}::uuid`,
    )
    return renewed.rowCount === 1 && performance.now() - asked < LEASE_MS // the process may have hung since
  }
  const remove = async () =>
    (await db()).execute(
      sql`delete from console.leases where key = ${key} and holder = ${holder}::uuid or until < ${now} - interval '1 hour'`,
    )
  const renew = () => void confirm().catch(() => {})
  const timer = setInterval(renew, RENEW_MS).unref()
  const forget = onHidden(renew) // without an instance in it, nobody takes it before its time
  return {
    confirm,
    async end() {
      clearInterval(timer)
      forget()
      await remove().catch(() => {}) // it ends by itself
    },
  }
}

const own = () => sql`${shownInstance()?.number ?? null}::int`
const lives = sql`(known.instance is null or known.instance in (
  select objid::bigint from pg_locks where locktype = 'advisory' and classid = ${LOCKS.instance}
    and objsubid = 2 and granted and database = (select oid from pg_database where datname = current_database())))`

type Gone = { holder: string; until: string }

/** The holder, if its instance has lost the lock that shows that it lives, as far as can be known here. */
async function findGone(key: string): Promise<Gone | undefined> {
  const here = shownInstance()
  if (!here || performance.now() - here.since < SETTLED_MS) return undefined
  const { rows } = await (await db()).execute<Gone>(
    sql`select holder, until::text from console.leases as known where key = ${key} and not (${lives})`,
  )
  return rows[0]
}

/** Takes a lease that is free, or that this holder has had without showing anything since. */
async function insert(key: string, holder: string, gone?: Gone): Promise<boolean> {
  const isGone = gone
    ? sql`known.holder = ${gone.holder}::uuid and known.until = ${gone.until}::timestamptz and not (${lives})`
    : sql`false`
  const { rowCount } = await (await db()).execute(sql`
    insert into console.leases as known (key, holder, until, instance)
    values (${key}, ${holder}::uuid, ${until}, ${own()})
    on conflict (key) do update set holder = excluded.holder, until = excluded.until, instance = excluded.instance
    where known.until < ${now} or ${isGone}`)
  return rowCount === 1
}

/** Does work that one instance at a time may do; undefined if another one is at it. */
export async function whileLeased<T>(name: string, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
  const lease = await takeLease(name)
  try {
    return lease && (await work(lease))
  } finally {
    await lease?.end()
  }
}

// On globalThis, because each bundle has its own copy of this module.
const shared = globalThis as { pilothouseChanges?: AsyncLocalStorage<{ lease?: Lease | undefined }> }
shared.pilothouseChanges ??= new AsyncLocalStorage()
const changes = shared.pilothouseChanges

/** Does work whose changes `assertLease` refuses once the lease is lost. */
export async function changingUnder<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  const change: { lease?: Lease | undefined } = { lease }
  try {
    return await changes.run(change, work)
  } finally {
    change.lease = undefined // what the work has left running is not part of it
  }
}

/** @throws AppError conflict if the lease under which this change is made was lost */
export async function assertLease(): Promise<void> {
  const lease = changes.getStore()?.lease
  if (!lease || (await lease.confirm())) return
  throw new AppError(
    'conflict',
    'The console was held up, and someone else may have changed this meanwhile. Nothing was sent; reload and try again.',
  )
}
