// How many notices one PostgreSQL passes on, which is where many agent servers and consoles end: commits with notices go one after
// the other, each listener gets all, and a commit also waits for the disk, if it is not told that nothing of it must last. 16
// connections send as fast as they can, with settings as `npm start` gives them; senders and listeners share the machine.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.mjs'
import { byTurns, row, SCALE } from './rounds.mjs'

const LISTENERS = [1, 16]
const SENDERS = 16
const SECONDS = 4 * SCALE
/** As long as that of an agent server which tells of one run. */
const NOTICE = JSON.stringify({ kind: 'events', runs: ['0'.repeat(36)], from: 1 })
const COMMIT = 'insert into sent (n) values (1)'
const STATEMENTS = {
  plain: `${COMMIT} returning $1::text`,
  notice: `with s as (${COMMIT}) select pg_notify('bench', $1)`,
  unflushed: "select set_config('synchronous_commit', 'off', true), pg_notify('bench', $1)",
}

const peer = { peer: 'plain', name: 'commits without a notice' }

/** @returns two rows per number of listeners. */
export async function measure() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-notify-'))
  chmodSync(folder, 0o711) // as root, the database's own user passes through
  const server = await startPostgres(folder, { say: () => {}, settings: { max_connections: 200 } })
  try {
    const connect = async () => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      return client
    }
    const senders = await Promise.all(Array.from({ length: SENDERS }, connect))
    await senders[0]?.query('create table sent (n int)')
    const rows = []
    const listeners = []
    for (const count of LISTENERS) {
      while (listeners.length < count) {
        const client = await connect()
        const one = { client, heard: 0 }
        client.on('notification', () => (one.heard += 1))
        await client.query('listen bench')
        listeners.push(one)
      }
      const seen = await byTurns(STATEMENTS, { canary: 'plain' }, (statement, side) =>
        sendFor(SECONDS, senders, statement, side === 'plain' ? [] : listeners),
      )
      const rowOf = (ours, what) => row(`${what}, ${count} listening`, 'a second', seen, { ours, ...peer })
      rows.push(rowOf('notice', 'commits with a notice'), rowOf('unflushed', 'notices that need not last'))
    }
    for (const client of [...senders, ...listeners.map((one) => one.client)]) await client.end()
    return rows
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Commits a second. Throws if a listener did not get each notice. */
async function sendFor(seconds, senders, statement, listeners) {
  for (const one of listeners) one.heard = 0
  const began = performance.now()
  let sent = 0
  await Promise.all(
    senders.map(async (client) => {
      while (performance.now() - began < seconds * 1000) {
        await client.query(statement, [NOTICE])
        sent += 1
      }
    }),
  )
  const rate = sent / ((performance.now() - began) / 1000)
  for (let tries = 0; listeners.some((one) => one.heard < sent) && tries < 100; tries += 1) await sleep(100)
  for (const { heard } of listeners) if (heard !== sent) throw new Error(`A listener got ${heard} of ${sent} notices.`)
  return rate
}
