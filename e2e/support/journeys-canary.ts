import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext, Page, Response } from '@playwright/test'
import { findAll, type Haystack, keptBy, printed, stored } from './canary'
import { agentOf, ask, platform } from './platform'

// Searches for a deployment's secret and the platform's key: in everything that browsers receive and store during each
// test, and after the last one in the console's output and tables.

const file = path.resolve(import.meta.dirname, '../../test-results/canary.txt')
const needles = () => [readFileSync(file, 'utf8'), platform().api_key]

const TEXTS = /^(text\/(html|x-component|plain)|application\/([\w.+-]*json|x-ndjson))/

/** Longer than any form of a text that is searched for, which may be cut in two. */
const OVERLAP = 1000

/**
 * Reads what the browser receives from now on: responses, those of server actions included, frames of event streams
 * while they arrive, and of WebSockets. Returns a function that lists leaks in that and in the browser's storage.
 */
export function watchCanary(context: BrowserContext, wanted = needles()): () => Promise<string[]> {
  const found = new Set<string>()
  const search = (where: string, text: string) => {
    for (const leak of findAll(wanted, [{ where, text }])) found.add(leak)
  }
  const readings: Promise<void>[] = []
  const read = async (response: Response) => {
    if (!TEXTS.test(response.headers()['content-type'] ?? '')) return // already known here; asking again costs a round trip
    search(`${response.request().method()} ${response.url()}`, await response.text())
  }
  const follow = async (page: Page) => {
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => search(`a frame of ${socket.url()}`, String(payload))),
    )
    const client = await context.newCDPSession(page)
    const methods = new Map<string, string>()
    const streams = new Map<string, { where: string; rest: string }>()
    const take = (id: string, data: string) => {
      const stream = streams.get(id)
      if (!stream) return
      const text = stream.rest + Buffer.from(data, 'base64').toString('latin1')
      search(stream.where, text)
      stream.rest = text.slice(-OVERLAP)
    }
    client.on('Network.requestWillBeSent', ({ requestId, request }) => methods.set(requestId, request.method))
    // As it arrives, because the browser keeps no body that the page reads as a stream: live frames, and pages and actions of
    // the router.
    client.on('Network.responseReceived', ({ requestId, response: { mimeType, url } }) => {
      const isLive = mimeType.startsWith('text/event-stream')
      if (!isLive && !TEXTS.test(mimeType)) return
      streams.set(requestId, { where: isLive ? `a frame of ${url}` : `${methods.get(requestId)} ${url}`, rest: '' })
      client.send('Network.streamResourceContent', { requestId }).then(
        ({ bufferedData }) => take(requestId, bufferedData),
        () => undefined, // it ended at once, and is read as a whole below
      )
    })
    client.on('Network.dataReceived', ({ requestId, data }) => data && take(requestId, data))
    await client.send('Network.enable')
  }
  const followSafely = (page: Page) => void follow(page).catch(() => undefined) // a page that closes at once
  context.pages().forEach(followSafely)
  context.on('page', followSafely)
  context.on('response', (response) => {
    const reading = read(response).catch(() => undefined) // a response abandoned by the page was not received
    readings.push(reading)
  })
  return async () => {
    const stillComing = new Promise((resolve) => setTimeout(resolve, 500))
    await Promise.race([Promise.all(readings), stillComing])
    const kept: Haystack[] = await keptBy(context).catch(() => []) // an empty page stores nothing
    return [...found, ...findAll(wanted, kept)]
  }
}

/** Runs before all tests: plants the secret. Returns the search to run after the last one. */
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
