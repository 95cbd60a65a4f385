import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext, Response } from '@playwright/test'
import { findAll, type Haystack, keptBy, printed, stored } from './canary'
import { agentOf, ask, platform } from './platform'

// A secret of the deployment that most journeys use, and the key that the console has for the platform: looked for in all
// that browsers get and keep during each journey, and after the last one in what the console has printed and stored.

const file = path.resolve(import.meta.dirname, '../../test-results/canary.txt')
const needles = () => [readFileSync(file, 'utf8'), platform().api_key]

const TEXTS = /^(text\/(html|x-component|plain)|application\/([\w.+-]*json|x-ndjson))/

/** From now on reads along what the browser gets; gives what is found in that, and in what it has kept. */
export function watchCanary(context: BrowserContext): () => Promise<string[]> {
  const wanted = needles()
  const found: string[] = []
  const readings: Promise<void>[] = []
  const read = async (response: Response) => {
    if (!TEXTS.test(response.headers()['content-type'] ?? '')) return // told with the response; asking costs each one
    found.push(...findAll(wanted, [{ where: response.url(), text: await response.text() }]))
  }
  context.on('response', (response) => {
    const reading = read(response).catch(() => undefined) // what the page has left behind is nothing that it got
    if (!response.url().endsWith('/api/live')) readings.push(reading) // that one ends with the page
  })
  return async () => {
    const stillComing = new Promise((resolve) => setTimeout(resolve, 500))
    await Promise.race([Promise.all(readings), stillComing])
    const kept: Haystack[] = await keptBy(context).catch(() => []) // a page of nothing keeps nothing
    return [...found, ...findAll(wanted, kept)]
  }
}

/** Before all journeys: plants the secret. Gives what searches after the last one. */
export default async function plant(): Promise<() => Promise<void>> {
  const value = `canaryJourneys${randomBytes(8).toString('hex')}`
  writeFileSync(file, value)
  const until = async (isSo: () => Promise<boolean>) => {
    for (const end = Date.now() + 60_000; !(await isSo()); await new Promise((resolve) => setTimeout(resolve, 100)))
      if (Date.now() > end) throw new Error('The sample deployment does not get its secret.')
  }
  await until(async () => Boolean((await agentOf('concierge')).id))
  const { id } = await agentOf('concierge')
  const { latest_revision_id: revision } = await ask('PATCH', `/v2/deployments/${id}`, {
    secrets: [{ name: 'JOURNEYS_CANARY', value }],
  })
  await until(async () => (await ask('GET', `/v2/deployments/${id}/revisions/${revision}`)).status === 'DEPLOYED')
  return async () => {
    const leaks = findAll(needles(), [printed(), ...(await stored())])
    if (leaks.length > 0) throw new Error(`Given away: ${leaks.join(', ')}`)
  }
}
