// PostgreSQL that crashes, restarts, and fails over to a standby. The standby confirms each commit before the client is told,
// so that a fail-over loses nothing.
import { spawnSync } from 'node:child_process'
import { chownSync, copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../../../bench/next-app.mjs'
import { startPostgres } from '../../../postgres.mjs'

const COMMON = { max_connections: 400, wal_keep_size: '1GB' }

/** Waits until `query` gives a row. */
async function untilRow(client, query) {
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    const { rows } = await client.query(query)
    if (rows.length > 0) return
    if (Date.now() > end) throw new Error(`The standby did not follow within 30 s: ${query}`)
  }
}

/** @param {string} folder */
export async function startDatabase(folder) {
  let number = 1
  let settings = { ...COMMON, port: await freePort() }
  const at = () => path.join(folder, `data-${number}`)
  const start = () => startPostgres(at(), { say: () => {}, settings })
  let server = await start()
  const connect = async () => {
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** Copies the running server's files, as a base backup does. */
  async function copyTo(target) {
    const source = path.join(at(), 'postgres')
    const copy = path.join(target, 'postgres')
    mkdirSync(target, { mode: 0o711 })
    copyFileSync(path.join(at(), 'postgres-password'), path.join(target, 'postgres-password'))
    const client = await connect()
    await client.query("select pg_backup_start('standby', true)")
    spawnSync('cp', ['-a', source, copy]) // files may vanish meanwhile
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    await client.end()
    rmSync(path.join(copy, 'postmaster.pid'), { force: true })
    const { uid, gid } = statSync(source)
    for (const [name, text] of [
      ['backup_label', rows[0].labelfile],
      ['standby.signal', ''],
    ]) {
      writeFileSync(path.join(copy, name), text, { mode: 0o600 })
      chownSync(path.join(copy, name), uid, gid)
    }
  }

  return {
    get url() {
      return server.url
    },
    /** @param {{ isCrash: boolean, pauseMs: number }} how */
    async restart({ isCrash, pauseMs }) {
      if (isCrash)
        process.kill(Number(server.pid), 'SIGQUIT') // it recovers from its log
      else void server.stop()
      await server.ended
      await sleep(pauseMs)
      server = await start()
    },
    /** Kills the server and promotes a standby, which has another address. */
    async failOver(/** @type {number} */ pauseMs) {
      const standbyAt = path.join(folder, `data-${number + 1}`)
      await copyTo(standbyAt)
      const { hostname, port, username, password } = new URL(server.url)
      const primary_conninfo = `host=${hostname} port=${port} user=${username} password=${password}`
      const standbySettings = { ...COMMON, port: await freePort() }
      const standby = await startPostgres(standbyAt, {
        say: () => {},
        settings: { ...standbySettings, primary_conninfo },
      })
      const client = await connect()
      await client.query("alter system set synchronous_standby_names = '*'")
      await client.query('select pg_reload_conf()')
      await untilRow(client, "select 1 from pg_stat_replication where state = 'streaming' and sync_state = 'sync'")
      await sleep(1000) // commits that did not wait for the standby yet have reached it
      await client.end()
      process.kill(Number(server.pid), 'SIGKILL')
      await server.ended
      await sleep(pauseMs)
      rmSync(at(), { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
      server = standby
      settings = standbySettings
      number += 1
      const promoting = await connect()
      await promoting.query('select pg_promote(true, 60)')
      await promoting.end()
    },
    stop: () => server.stop(),
  }
}
