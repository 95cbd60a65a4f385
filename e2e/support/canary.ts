import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext } from '@playwright/test'
import pg from 'pg'
import { runningServer } from '@/scripts/postgres.mjs'

// Searches for text in everything that the console sends or stores: the content and storage of browsers, the output of
// its processes, and its database tables.

export type Haystack = { where: string; text: string }

const results = path.resolve(import.meta.dirname, '../../test-results')

/** The forms in which a text can appear: plain, as hexadecimal, and as base64 at any offset. */
function forms(needle: string): string[] {
  const bytes = Buffer.from(needle)
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    // The characters at both ends depend on the adjacent bytes.
    return text.slice(shift === 0 ? 0 : 4, 4 * Math.floor((shift + bytes.length) / 3))
  })
  return [needle, bytes.toString('hex'), ...base64]
}

/** The places that contain one of the texts in any form; empty if nothing leaked. */
export function findAll(needles: string[], hay: Haystack[]): string[] {
  const wanted = needles.flatMap((needle) => forms(needle).map((form) => ({ needle, form })))
  return hay.flatMap(({ where, text }) =>
    wanted.filter(({ form }) => text.includes(form)).map(({ needle }) => `${needle} in ${where}`),
  )
}

/** The content of a context's open pages, and what their browser stores. */
export async function keptBy(context: BrowserContext): Promise<Haystack[]> {
  const texts = context.pages().map(async (page) => [
    { where: `the page ${page.url()}`, text: await page.content() },
    { where: `the stores of ${page.url()}`, text: await page.evaluate(everythingKept) },
  ])
  return [...(await Promise.all(texts)).flat(), { where: 'cookies', text: JSON.stringify(await context.cookies()) }]
}

/** Runs in the page: reads every store that it can write to. */
async function everythingKept(): Promise<string> {
  const whole = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const parts: unknown[] = [{ ...localStorage }, { ...sessionStorage }, history.state]
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await whole(indexedDB.open(name))
    for (const store of database.objectStoreNames)
      parts.push(name, store, await whole(database.transaction(store).objectStore(store).getAll()))
    database.close()
  }
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys()) parts.push(request.url, await (await cache.match(request))?.text())
  }
  return JSON.stringify(parts)
}

/** The output of all our processes so far. */
export const printed = (): Haystack => ({
  where: 'the log',
  text: readFileSync(path.join(results, 'server.log'), 'utf8'),
})

/** All rows of the console's tables, bytes read as text. */
export async function stored(): Promise<Haystack[]> {
  const data = readFileSync(path.join(results, 'e2e-data.txt'), 'utf8').trim()
  const client = new pg.Client(process.env.DATABASE_URL ?? runningServer(data))
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'console'`,
    )
    const hay: Haystack[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from console."${name}"`)
      const cells = rows.flatMap((row) => Object.values(row))
      hay.push({
        where: `the table ${name}`,
        text: cells.map((cell) => (Buffer.isBuffer(cell) ? cell.toString('latin1') : JSON.stringify(cell))).join('\n'),
      })
    }
    return hay
  } finally {
    await client.end()
  }
}
