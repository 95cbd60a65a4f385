import { sql } from 'drizzle-orm'
import { ensureLogin, ownRole, removeLogin } from '../kernel/agent-database'
import { type Db, reasonOf } from '../kernel/database'
import type { Store } from '../kernel/store'
import { gatewayRole } from './entries'

/** Makes the role of the gateways, which may read their entries and say how far they are, and removes that of an earlier key. */
export async function ensureGatewayRole(
  db: Db,
  store: Store,
  gatewayKey: string,
  log: (line: string) => void,
): Promise<void> {
  const { name, password } = gatewayRole(gatewayKey)
  const own = await ownRole(db)
  if (!own.mayCreate)
    return log(
      `The database role "${own.name}" may not create roles: give gateways that run apart an address with a user of your own.`,
    )
  const before = await store.setting('gateway_role', () => name)
  await db.transaction(async (tx) => {
    const query = async (text: string) => tx.execute(sql.raw(text))
    await ensureLogin(query, name, password)
    await query(`grant usage on schema platform to ${name}`)
    await query(`grant select on platform.gateway_entries to ${name}`)
    await query(`grant select, insert, update, delete on platform.gateway_copies to ${name}`)
  })
  if (before === name) return
  await db
    .transaction((tx) => removeLogin(async (text) => tx.execute(sql.raw(text)), before))
    .then(() => store.setSetting('gateway_role', name))
    .catch((error: unknown) => log(`The database role of the former gateway key is still there: ${reasonOf(error)}`))
}
