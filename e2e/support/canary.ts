import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext } from '@playwright/test'
import pg from 'pg'
import { runningServer } from '@/scripts/postgres.mjs'

// Looks for text in everything that the console gives away or keeps: what comes to a browser and stays there, what the
// programs print, what the console's tables hold.

export type Haystack = { where: string; text: string }

const results = path.resolve(import.meta.dirname, '../../test-results')

/** A text as it stands in others: itself, as hexadecimal digits, and as base64 wherever it begins. */
function forms(needle: string): string[] {
  const bytes = Buffer.from(needle)
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    // The letters at both ends depend on what stands beside it.
    return text.slice(shift === 0 ? 0 : 4, 4 * Math.floor((shift + bytes.length) / 3))
  })
  return [needle, bytes.toString('hex'), ...base64]
}

/** Where one of the texts is, in any form: nothing, where nothing is given away. */
export function findAll(needles: string[], hay: Haystack[]): string[] {
  const wanted = needles.flatMap((needle) => forms(needle).map((form) => ({ needle, form })))
  return hay.flatMap(({ where, text }) =>
    wanted.filter(({ form }) => text.includes(form)).map(({ needle }) => `${needle} in ${where}`),
  )
}

/** What the open pages of a context show, and what their browser keeps of them. */
export async function keptBy(context: BrowserContext): Promise<Haystack[]> {
  const texts = context.pages().map(async (page) => [
    { where: `the page ${page.url()}`, text: await page.content() },
    { where: `the stores of ${page.url()}`, text: await page.evaluate(everythingKept) },
  ])
  return [...(await Promise.all(texts)).flat(), { where: 'cookies', text: JSON.stringify(await context.cookies()) }]
}

/** In the page: every store that it may write to. */
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

/** What the programs of the product have printed so far. */
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
