import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'

/** The data folder of the started product, and the embedded platform's URL and key from it. */
export function platform(): { url: string; api_key: string } {
  const data = readFileSync(path.resolve(import.meta.dirname, '../../test-results/e2e-data.txt'), 'utf8')
  return JSON.parse(readFileSync(path.join(data, 'platform.json'), 'utf8'))
}

/** Calls the embedded platform directly. Returns the parsed response; undefined if it is empty. */
// biome-ignore lint/suspicious/noExplicitAny: the contracts define the shapes, and a test that misreads one fails
export async function ask(method: string, resource: string, body?: unknown): Promise<any> {
  const { url, api_key } = platform()
  const response = await fetch(url + resource, {
    method,
    headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.ok, `${method} ${resource}: ${text}`).toBe(true)
  return text === '' ? undefined : JSON.parse(text)
}

/** A deployment by its name, and requests to its agent server. */
export async function agentOf(name: string) {
  const { resources } = await ask('GET', `/v2/deployments?name_contains=${name}`)
  const id: string = resources[0]?.id
  return {
    id,
    ask: (method: string, resource: string, body?: unknown) => ask(method, `/agents/${id}${resource}`, body),
  }
}

/** Creates an assistant of the concierge's chat that waits this many milliseconds between words. */
export async function makeTalker(delay_ms: number): Promise<{ deployment: string; assistant: string; name: string }> {
  const { id, ask } = await agentOf('concierge')
  const name = `talker-${randomBytes(3).toString('hex')}`
  const { assistant_id } = await ask('POST', '/assistants', { graph_id: 'chat', name, context: { delay_ms } })
  return { deployment: id, assistant: assistant_id, name }
}
