// The stores that some agent servers need: a database for each, and a Redis if the machine has one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { freePort } from '../../../bench/next-app.mjs'
import { startTestDatabase } from '../../start-test-database.mjs'

/** Starts Redis without a file; undefined where it is not installed. */
async function startRedis(folder) {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const failed = new Promise((resolve) => child.once('error', () => resolve(undefined)))
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (text) => /ready to accept/i.test(String(text)) && resolve(`redis://127.0.0.1:${port}`))
  })
  /** @type {string | undefined} */
  const url = await Promise.race([ready, failed])
  if (url === undefined) return undefined
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { url, stop }
}

/** @param {string} folder */
export async function startStores(folder) {
  const database = startTestDatabase()
  const databaseUrl = await database.url
  const redis = await startRedis(folder)
  return {
    /** A database of its own per server. */
    forServer: async (index) => {
      const client = new pg.Client({ connectionString: databaseUrl })
      await client.connect()
      await client.query(`create database server_${index}`)
      await client.end()
      const url = new URL(databaseUrl)
      url.pathname = `/server_${index}`
      return { databaseUrl: url.href, redisUrl: redis && `${redis.url}/${index}` }
    },
    stop: async () => {
      await redis?.stop()
      await database.stop()
    },
  }
}
