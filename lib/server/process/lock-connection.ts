import 'server-only'
import pg from 'pg'
import { CONNECTION } from '@/lib/postgres/connections'
import { directStoreUrl, type LOCKS } from './db'

/** A connection past any pooler, for a lock that ends with it. End it afterwards. `onLost`: others may have the lock now. */
export async function lockConnection(name: string, onLost: (error: Error) => void): Promise<pg.Client> {
  const client = new pg.Client({ ...CONNECTION, connectionString: directStoreUrl(), application_name: name })
  client.on('error', onLost)
  await client.connect()
  return client
}

/**
 * Does work that one instance at a time may do; undefined if another one is at it. `isHeld` turns false when the lock is
 * lost.
 */
export async function whileLocked<T>(
  name: string,
  lock: (typeof LOCKS)[keyof typeof LOCKS],
  work: (isHeld: () => boolean) => Promise<T>,
): Promise<T | undefined> {
  let isHeld = true
  const connection = await lockConnection(name, () => {
    isHeld = false
  })
  try {
    const { rows } = await connection.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [lock])
    return rows[0]?.held ? await work(() => isHeld) : undefined
  } finally {
    await connection.end().catch(() => undefined)
  }
}
