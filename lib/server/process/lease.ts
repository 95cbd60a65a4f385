import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import { db } from './db'

// docs/decisions/0102-through-a-pooler.md

/** A holder that shows nothing for this long has died or hangs, and others may take over. */
const LEASE_MS = 20_000
const RENEW_MS = 5_000
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
  const { rowCount } = await (await db()).execute(sql`
    insert into console.leases as known (key, holder, until) values (${key}, ${holder}::uuid, ${until})
    on conflict (key) do update set holder = excluded.holder, until = excluded.until where known.until < ${now}`)
  if (!rowCount) return undefined
  const confirm = async () => {
    const asked = performance.now()
    const renewed = await (await db()).execute(
      sql`update console.leases set until = ${until} where key = ${key} and holder = ${holder}::uuid`,
    )
    return renewed.rowCount === 1 && performance.now() - asked < LEASE_MS // the process may have hung since
  }
  const remove = async () =>
    (await db()).execute(
      sql`delete from console.leases where key = ${key} and holder = ${holder}::uuid or until < ${now} - interval '1 hour'`,
    )
  const timer = setInterval(() => void confirm().catch(() => {}), RENEW_MS).unref()
  return {
    confirm,
    async end() {
      clearInterval(timer)
      await remove().catch(() => {}) // it ends by itself
    },
  }
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
