import 'server-only'
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { parseJson, printJson } from '@/lib/json/lossless'
import { db } from '../process/db'
import { within } from '../process/within'
import { recorderHub } from '../recorder/shared-hub'

type Read<T> = (signal: AbortSignal) => Promise<T>
/** What an upstream said, and when, in milliseconds since 1970. */
type Answer<T> = { value: T; at: number }
/** Reads, or takes what another instance has read within the last `freshMs`. */
export type Reader<T> = (read: Read<T>, freshMs: number, signal: AbortSignal) => Promise<Answer<T>>

/** A read that takes longer is repeated by another instance: its reader may be gone. */
const CLAIM_MS = 3_000
/** Between two looks at what another instance is reading. */
const LOOK_MS = 200
/** What the database does not tell by then is asked of the upstream. */
const DATABASE_MS = 1_000
const now = sql.raw('clock_timestamp()')
const ms = (count: number) => sql`${count} * interval '1 millisecond'`

export async function readAlone<T>(read: Read<T>, _: number, signal: AbortSignal): Promise<Answer<T>> {
  return { value: await read(signal), at: Date.now() }
}

/**
 * Lets one console instance read for all that watch what is called `name` (docs/decisions/0089-cluster-reads.md). Failures are
 * not shared: each instance asks by itself then, as it does while it is the only one or the database is away.
 */
export function clusterReader<T>(name: string, isAlone = () => !recorderHub().line.hasOthers): Reader<T> {
  const key = createHash('sha256').update(name).digest('hex')
  return async (read, freshMs, signal) => {
    while (!isAlone()) {
      const asked = claimOrTake(key, freshMs).catch(() => undefined)
      const found = await within(DATABASE_MS, asked, undefined)
      if (!found) break
      if (found.body !== null) return { value: parseJson(found.body) as T, at: Date.now() - Math.round(found.age) }
      if (found.claim !== null) return await readFor(key, found.claim, () => readAlone(read, freshMs, signal))
      await sleep(LOOK_MS, undefined, { signal })
    }
    return await readAlone(read, freshMs, signal)
  }
}

async function readFor<T>(key: string, claim: string, read: () => Promise<Answer<T>>): Promise<Answer<T>> {
  let body: string | undefined
  try {
    const answer = await read()
    body = printJson(answer.value)
    return answer
  } finally {
    void settle(key, claim, body).catch(() => {}) // the claim ends by itself
  }
}

type Found = { claim: string | null; body: string | null; age: number }

/** A claim to read it, or what was read within `freshMs` and its age in milliseconds; neither while another instance reads. */
async function claimOrTake(key: string, freshMs: number): Promise<Found | undefined> {
  const { rows } = await (await db()).execute<Found>(sql`
    with claimed as (
      insert into console.cluster_reads as known (key, claim, claimed_until)
      values (${key}, ${randomUUID()}::uuid, ${now} + ${ms(CLAIM_MS)})
      on conflict (key) do update set claim = excluded.claim, claimed_until = excluded.claimed_until
      where known.claimed_until < ${now} and (known.read_at is null or known.read_at <= ${now} - ${ms(freshMs)})
      returning claim
    )
    select claimed.claim, fresh.body, fresh.age from (select) as one left join claimed on true
    left join (
      select body, extract(epoch from ${now} - read_at)::float8 * 1000 as age from console.cluster_reads
      where key = ${key} and read_at > ${now} - ${ms(freshMs)}
    ) as fresh on claimed.claim is null`)
  return rows[0]
}

/** Ends a claim, with what was read unless that failed. Forgets what nobody has watched for an hour. */
async function settle(key: string, claim: string, body: string | undefined): Promise<void> {
  await (await db()).execute(sql`
    with old as (delete from console.cluster_reads where claimed_until < ${now} - interval '1 hour' and key <> ${key})
    update console.cluster_reads set claimed_until = ${now},
      body = coalesce(${body ?? null}, body), read_at = case when ${body ?? null}::text is null then read_at else ${now} end
    where key = ${key} and claim = ${claim}::uuid`)
}
