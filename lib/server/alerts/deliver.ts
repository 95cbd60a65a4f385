import 'server-only'
import { and, asc, eq, inArray, lt, lte, ne, sql } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import { db } from '../process/db'
import { log } from '../process/log'
import { mapConcurrent } from '../process/map-concurrent'
import { alertChannels, alertDeliveries, alertEvents } from '../process/schema'
import { send } from './send'

/** Pauses before the second and later attempts. After the last one the delivery has failed. */
const BACK_OFF_SECONDS = [30, 120, 600, 3_600]
/** An instance that dies while it sends leaves a delivery to others after this time. */
const CLAIM_SECONDS = 60
const AT_ONCE = 10
const KEPT_DAYS = 30

/** Sends what is due. Each delivery is claimed by one instance; the others pass it over. */
export async function deliverDue(only?: string): Promise<void> {
  const claimed = await claim(only)
  await mapConcurrent(claimed, deliver)
}

type Claimed = Awaited<ReturnType<typeof claim>>[number]

async function claim(only: string | undefined) {
  const store = await db()
  return await store.transaction(async (transaction) => {
    const due = await transaction
      .select({ id: alertDeliveries.id })
      .from(alertDeliveries)
      .where(
        and(
          eq(alertDeliveries.status, 'waiting'),
          lte(alertDeliveries.nextAt, sql`now()`),
          only === undefined ? undefined : eq(alertDeliveries.id, only),
        ),
      )
      .orderBy(asc(alertDeliveries.nextAt))
      .limit(AT_ONCE)
      .for('update', { skipLocked: true })
    if (due.length === 0) return []
    const ids = due.map(({ id }) => id)
    await transaction
      .update(alertDeliveries)
      .set({
        attempts: sql`${alertDeliveries.attempts} + 1`,
        nextAt: sql`now() + make_interval(secs => ${CLAIM_SECONDS})`,
      })
      .where(inArray(alertDeliveries.id, ids))
    return await transaction
      .select({ delivery: alertDeliveries, channel: alertChannels })
      .from(alertDeliveries)
      .innerJoin(alertChannels, eq(alertChannels.id, alertDeliveries.channel))
      .where(inArray(alertDeliveries.id, ids))
  })
}

async function deliver({ delivery, channel }: Claimed): Promise<void> {
  const { id, attempts, isTest, subject, message } = delivery
  const place = eq(alertDeliveries.id, id)
  const store = await db()
  try {
    await send(channel, id, subject, message)
    await store.update(alertDeliveries).set({ status: 'delivered', problem: null, endedAt: sql`now()` }).where(place)
  } catch (error) {
    const problem = error instanceof AppError ? error.message : 'The message could not be sent.'
    if (!(error instanceof AppError)) log.error('alerts.delivery_failed', { delivery: id, error })
    const pause = isTest ? undefined : BACK_OFF_SECONDS[attempts - 1]
    await store
      .update(alertDeliveries)
      .set(
        pause === undefined
          ? { status: 'failed', problem, endedAt: sql`now()` }
          : { problem, nextAt: sql`now() + make_interval(secs => ${pause})` },
      )
      .where(place)
  }
}

/** Messages that wait to be delivered, also those to be tried again, and the age of the oldest; zero if there is none. */
export async function waitingMessages(): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await (await db())
    .select({
      count: sql<number>`count(*)::int`,
      oldestSeconds: sql<number>`coalesce(extract(epoch from now() - min(${alertDeliveries.createdAt})), 0)::float8`,
    })
    .from(alertDeliveries)
    .where(eq(alertDeliveries.status, 'waiting'))
  return row ?? { count: 0, oldestSeconds: 0 }
}

/** Removes what is older than a month. */
export async function forgetOldAlerts(): Promise<void> {
  const store = await db()
  const old = sql`now() - make_interval(days => ${KEPT_DAYS})`
  await store
    .delete(alertDeliveries)
    .where(and(ne(alertDeliveries.status, 'waiting'), lt(alertDeliveries.createdAt, old)))
  await store.delete(alertEvents).where(lt(alertEvents.at, old))
}
