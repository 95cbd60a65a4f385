import { describe, expect, test } from 'vitest'
import type { Db } from '../persistence/db'
import { systemHandlers } from './system'
import { type Any, asked, noting } from './testing'

/** How requests reach the services, and how they are answered. */

describe('the system', () => {
  const handlersOf = (query: () => Promise<unknown>, info?: unknown, runtimes = (own: string) => [own]) =>
    systemHandlers({
      db: { query } as unknown as Db,
      metrics: { json: async () => [1], text: async () => 'text', contentType: 'text/plain; own' } as Any,
      graphs: { runtimes },
      assistants: noting({ get: { assistant_id: 'a1', graph_id: 'g', name: 'Mine', version: 1 } }).services,
      tools: { inputFields: async () => ['topic'] } as Any,
      hasPush: false,
      info,
    })

  test('is healthy without its database unless that is asked for', async () => {
    const { getOk } = handlersOf(() => Promise.reject(new Error('secret')))
    expect(await getOk(asked({}))).toEqual({ body: { ok: true } })
    await expect(getOk(asked({ query: { check_db: true } }))).rejects.toMatchObject({
      status: 500,
      detail: 'The database is unreachable.',
    })
    expect(await handlersOf(async () => []).getOk(asked({ query: { check_db: true } }))).toEqual({ body: { ok: true } })
  })

  test('says what it is and can', async () => {
    const info = async (given?: unknown) => ((await handlersOf(async () => [], given).getInfo(asked({}))) as Any).body
    const { flags, ...more } = await info()
    expect(more).toEqual({
      version: '0.1.0',
      graph_js_version: expect.stringMatching(/^\d+\.\d+/),
      context: 'js',
      metadata: {},
    })
    expect(new Set(Object.values(flags))).toEqual(new Set([true]))
    expect((await info({ revision: 'r' })).metadata).toEqual({ revision: 'r' })
    const mixed = handlersOf(
      async () => [],
      {},
      () => ['0.2.5', '1.0.0'],
    )
    expect(((await mixed.getInfo(asked({}))) as Any).body.graph_js_version).toBe('0.2.5, 1.0.0')
  })

  test('has its metrics as text or as JSON', async () => {
    const { getMetrics } = handlersOf(async () => [])
    expect(await getMetrics(asked({}))).toEqual({ text: 'text', headers: { 'Content-Type': 'text/plain; own' } })
    expect(await getMetrics(asked({ query: { format: 'json' } }))).toEqual({
      text: '[1]',
      headers: { 'Content-Type': 'application/json' },
    })
  })

  test('has cards of its agents at the address of the request', async () => {
    const { getAgentCard, getAssistantCard } = handlersOf(async () => [])
    const headers = new Headers({ host: 'x.example' })
    const cards = [
      await getAgentCard(asked({ query: { assistant_id: 'a' }, headers })),
      await getAssistantCard(asked({ params: { assistant_id: 'a' }, headers })),
    ]
    for (const { body } of cards)
      expect(body).toMatchObject({
        url: 'http://x.example/a2a/a1',
        capabilities: { pushNotifications: false },
        defaultInputModes: ['application/json'],
      })
  })

  test('has a reference with a strict policy, which a client that has it is not sent again', async () => {
    const { getDocs } = handlersOf(async () => [])
    const first = await getDocs(asked({}))
    expect(first.headers).toMatchObject({
      'Cache-Control': 'private, no-cache',
      Vary: 'X-Forwarded-Host, X-Forwarded-Prefix',
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': expect.stringContaining("default-src 'none'"),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    const etag = first.headers?.ETag ?? ''
    const again = await getDocs(asked({ headers: new Headers({ 'if-none-match': `"x", ${etag}` }) }))
    expect(again).toEqual({ status: 304, headers: expect.objectContaining({ ETag: etag }) })
    expect(again.headers).not.toHaveProperty('Content-Type')
    const other = await getDocs(asked({ headers: new Headers({ 'if-none-match': '"x"' }) }))
    expect(other.text).toContain('<!doctype html>')
  })
})
