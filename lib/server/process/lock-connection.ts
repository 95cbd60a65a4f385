import 'server-only'
import pg from 'pg'
import { directStoreUrl } from './db'

/** A connection past any pooler, for a lock that ends with it. End it afterwards. `onLost`: others may have the lock now. */
export async function lockConnection(name: string, onLost: (error: Error) => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: directStoreUrl(),
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', onLost)
  await client.connect()
  return client
}
