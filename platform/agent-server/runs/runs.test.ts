import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEvents, type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const counter = (input: object = {}, more: object = {}) => ({ assistant_id: 'counter', input, ...more })

describe('a run on a thread', () => {
  test('is created as pending, executes, and can be read and listed newest first', async () => {
    const thread = await server.newThread()
    const { status, json, headers } = await server.post(
      `/threads/${thread}/runs`,
      counter({ until: 2 }, { metadata: { who: 'me' } }),
    )
    expect(status).toBe(200)
    expect(json).toMatchObject({
      thread_id: thread,
      status: 'pending',
      metadata: { who: 'me', created_by: 'system' },
      multitask_strategy: 'enqueue',
      kwargs: { assistant_id: 'counter', input: { until: 2 } },
    })
    expect(headers.get('content-location')).toBe(`/threads/${thread}/runs/${json.run_id}`)
    expect((await server.get(`/threads/${thread}`)).json.metadata).toMatchObject({ who: 'me', graph_id: 'counter' })
    await server.until(thread, json.run_id, 'success')
    const second = (await server.post(`/threads/${thread}/runs`, counter())).json
    await server.until(thread, second.run_id, 'success')
    const list = await server.get(`/threads/${thread}/runs?select=run_id&select=status`)
    expect(list.json).toEqual([
      { run_id: second.run_id, status: 'success' },
      { run_id: json.run_id, status: 'success' },
    ])
    expect(list.headers.get('x-pagination-total')).toBe('2')
    expect((await server.get(`/threads/${thread}/runs?status=error`)).json).toEqual([])
    expect((await server.get(`/threads/${thread}/runs?limit=1&offset=1`)).json[0].run_id).toBe(json.run_id)
  })

  test('waiting returns the final state as JSON after blank keep-alive lines', async () => {
    const thread = await server.newThread()
    const response = await server.post(`/threads/${thread}/runs/wait`, counter({ until: 2 }))
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.headers.get('content-location')).toMatch(new RegExp(`^/threads/${thread}/runs/[0-9a-f-]{36}$`))
    expect(response.json).toMatchObject({ count: 2 })
  })

  test('joining returns the same, during the run and afterwards', async () => {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, counter({ until: 3, delay: 60 }))).json
    const path = `/threads/${thread}/runs/${run.run_id}/join`
    expect((await server.get(path)).json).toMatchObject({ count: 3 })
    expect((await server.get(path)).json).toMatchObject({ count: 3 })
  })

  test('a failure shows in the state, the run, the thread and the waiting response', async () => {
    const thread = await server.newThread()
    const { status, json } = await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'failing', input: {} })
    expect([status, json]).toEqual([200, { __error__: { error: 'NoLuck', message: 'It was not to be.' } }])
    expect((await server.get(`/threads/${thread}/runs`)).json[0].status).toBe('error')
    expect((await server.get(`/threads/${thread}`)).json).toMatchObject({
      status: 'error',
      error: { error: 'NoLuck' },
      values: { done: ['good'] },
    })
    const run = (await server.get(`/threads/${thread}/runs`)).json[0].run_id
    expect((await server.get(`/threads/${thread}/runs/${run}/join`)).json).toHaveProperty('__error__')
    expect((await server.post(`/threads/${thread}/runs/wait`, counter())).json.count).toBe(3)
    expect((await server.get(`/threads/${thread}`)).json).toMatchObject({ status: 'idle', error: null })
  })

  test('the assistant configures it, and the request takes precedence', async () => {
    const assistant = (
      await server.post('/assistants', {
        graph_id: 'counter',
        context: { label: 'a' },
        config: { tags: ['t'], configurable: { x: 1 } },
      })
    ).json
    const run = async (body: object) =>
      (await server.post('/runs/wait', { assistant_id: assistant.assistant_id, input: { until: 1 }, ...body })).json
    expect((await run({})).log).toEqual(['a 1'])
    expect((await run({ context: { label: 'b' } })).log).toEqual(['b 1'])
    expect(
      (
        await server.post('/runs/wait', {
          assistant_id: 'factory',
          input: {},
          config: { configurable: { greeting: 'moin' } },
        })
      ).json,
    ).toEqual({
      said: 'moin from threads.create_run',
    })
  })

  test('the recursion limit holds, and its error contains no vendor URL', async () => {
    const { json } = await server.post('/runs/wait', counter({ until: 50 }, { config: { recursion_limit: 5 } }))
    expect(json.__error__.error).toBe('GraphRecursionError')
    expect(json.__error__.message).not.toContain('http')
    expect((await server.post('/runs/wait', counter({ until: 30 }))).json.__error__.error).toBe('GraphRecursionError')
  })

  test('waits for its start time, with its thread busy meanwhile', async () => {
    const thread = await server.newThread()
    const begun = Date.now()
    const run = (await server.post(`/threads/${thread}/runs`, counter({}, { after_seconds: 0.6 }))).json
    await sleep(300)
    expect((await server.get(`/threads/${thread}/runs/${run.run_id}`)).json.status).toBe('pending')
    expect((await server.get(`/threads/${thread}`)).json.status).toBe('busy')
    await server.until(thread, run.run_id, 'success')
    expect(Date.now() - begun).toBeGreaterThanOrEqual(590)
    expect(Date.now() - begun).toBeLessThan(2500)
  })

  test('creates its thread on request', async () => {
    const thread = crypto.randomUUID()
    expect((await server.post(`/threads/${thread}/runs`, counter())).status).toBe(404)
    expect(
      (await server.post(`/threads/${thread}/runs/wait`, counter({}, { if_not_exists: 'create' }))).json.count,
    ).toBe(3)
    expect((await server.get(`/threads/${thread}`)).json.values.count).toBe(3)
  })

  test('may start from an earlier checkpoint', async () => {
    const thread = await server.newThread()
    await server.post(`/threads/${thread}/runs/wait`, counter({ until: 3 }))
    const history = (await server.get(`/threads/${thread}/history?limit=10`)).json
    const { checkpoint } = history.find((one: { values: { count?: number } }) => one.values.count === 1)
    const response = await server.post(`/threads/${thread}/runs/wait`, counter({ until: 2 }, { checkpoint }))
    expect(response.json).toMatchObject({ count: 2, log: ['none 1', 'none 1', 'none 2'] })
    const unknown = await server.post(`/threads/${thread}/runs/wait`, counter({}, { checkpoint_id: 'nothing' }))
    expect(unknown).toMatchObject({ status: 404, json: { detail: expect.stringContaining('no checkpoint nothing') } })
  })

  test('stores no checkpoint before its end with durability exit', async () => {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, counter({ until: 4, delay: 80 }, { durability: 'exit' })))
      .json
    await sleep(200)
    expect((await server.get(`/threads/${thread}/history`)).json).toEqual([])
    await server.until(thread, run.run_id, 'success')
    expect((await server.get(`/threads/${thread}/history`)).json).toHaveLength(1)
  })

  test('can be deleted while it runs: it stops and frees its thread', async () => {
    const thread = await server.newThread()
    for (let n = 0; n < 3; n++) {
      const run = (
        await server.post(
          `/threads/${thread}/runs`,
          counter({ until: 1000, delay: 20 }, { config: { recursion_limit: 2000 } }),
        )
      ).json
      await server.until(thread, run.run_id, 'running')
      expect((await server.request('DELETE', `/threads/${thread}/runs/${run.run_id}`)).status).toBe(204)
      expect((await server.get(`/threads/${thread}/runs/${run.run_id}`)).status).toBe(404)
      expect((await server.get(`/threads/${thread}`)).json.status).toBe('idle')
    }
  })
})

describe('cancelling', () => {
  const long = counter({ until: 1000, delay: 20 }, { config: { recursion_limit: 2000 } })

  test('keeps completed work and marks the run interrupted; the thread becomes idle', async () => {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, long)).json
    await server.until(thread, run.run_id, 'running')
    await sleep(100)
    expect((await server.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=1`)).status).toBe(204)
    expect((await server.get(`/threads/${thread}/runs/${run.run_id}`)).json.status).toBe('interrupted')
    const { json } = await server.get(`/threads/${thread}`)
    expect(json.status).toBe('idle')
    expect(json.values.count).toBeGreaterThan(0)
    expect((await server.get(`/threads/${thread}/state`)).json.next).toEqual(['step'])
    expect((await server.post(`/threads/${thread}/runs/${run.run_id}/cancel`)).status).toBe(409)
  })

  test('does not wait when wait is false', async () => {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, long)).json
    expect((await server.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=false`)).status).toBe(202)
    await server.until(thread, run.run_id, 'interrupted')
  })

  test('with rollback removes the run and everything it stored', async () => {
    const thread = await server.newThread()
    await server.post(`/threads/${thread}/runs/wait`, counter({ until: 2 }))
    const before = (await server.get(`/threads/${thread}/state`)).json
    const run = (await server.post(`/threads/${thread}/runs`, long)).json
    await server.until(thread, run.run_id, 'running')
    await sleep(100)
    expect((await server.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=true&action=rollback`)).status).toBe(
      204,
    )
    expect((await server.get(`/threads/${thread}/runs/${run.run_id}`)).status).toBe(404)
    expect((await server.get(`/threads/${thread}/state`)).json).toEqual(before)
    expect((await server.get(`/threads/${thread}`)).json.status).toBe('idle')
    // A later run reuses the same version numbers.
    expect((await server.post(`/threads/${thread}/runs/wait`, counter({ until: 4 }))).json.count).toBe(4)
  })

  test('a pending run never starts', async () => {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, counter({}, { after_seconds: 60 }))).json
    const stream = server.join(`/threads/${thread}/runs/${run.run_id}/stream`)
    await sleep(100)
    await server.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=1`)
    expect((await server.get(`/threads/${thread}/runs/${run.run_id}`)).json.status).toBe('interrupted')
    expect((await server.get(`/threads/${thread}`)).json.status).toBe('idle')
    expect(await stream).toEqual([
      { id: expect.any(String), event: 'end', data: { run_id: run.run_id, status: 'interrupted' } },
    ])
  })

  test('many at once', async () => {
    const threads = await Promise.all([server.newThread(), server.newThread()])
    const runs = await Promise.all(
      threads.map(async (thread) => (await server.post(`/threads/${thread}/runs`, long)).json),
    )
    expect((await server.post('/runs/cancel', { thread_id: threads[0], run_ids: [runs[0].run_id] })).status).toBe(204)
    await server.until(threads[0] as string, runs[0].run_id, 'interrupted')
    expect((await server.post('/runs/cancel', { status: 'all' })).status).toBe(204)
    await server.until(threads[1] as string, runs[1].run_id, 'interrupted')
    expect((await server.post('/runs/cancel', {})).status).toBe(422)
  })
})

describe('a run without a thread', () => {
  test('has a hidden thread while it runs', async () => {
    const run = (await server.post('/runs', counter({ until: 2, delay: 100 }))).json
    expect((await server.get(`/threads/${run.thread_id}/runs/${run.run_id}`)).status).toBe(200)
    expect((await server.post('/threads/search', { ids: [run.thread_id] })).json).toEqual([])
    await server.get(`/threads/${run.thread_id}/runs/${run.run_id}/join`)
    expect((await server.get(`/threads/${run.thread_id}`)).status).toBe(404)
  })

  test('may keep its thread', async () => {
    const run = (await server.post('/runs', counter({}, { on_completion: 'keep' }))).json
    await server.until(run.thread_id, run.run_id, 'success')
    expect((await server.get(`/threads/${run.thread_id}`)).json.values.count).toBe(3)
    expect((await server.post('/threads/search', { ids: [run.thread_id] })).json).toHaveLength(1)
  })

  test('can stop at an interrupt and returns its question', async () => {
    const { json } = await server.post('/runs/wait', { assistant_id: 'approval', input: { topic: 'tea' } })
    expect(json).toMatchObject({
      draft: 'About tea',
      __interrupt__: [{ id: expect.any(String), value: { question: 'Send it?' } }],
    })
  })

  test('several at once', async () => {
    const { json } = await server.post('/runs/batch', [counter(), counter({}, { on_completion: 'keep' })])
    expect(json).toHaveLength(2)
    await server.until(json[1].thread_id, json[1].run_id, 'success')
    const thread = json[0].thread_id
    for (let tries = 0; tries < 100 && (await server.get(`/threads/${thread}`)).status !== 404; tries++) await sleep(20)
    expect((await server.get(`/threads/${thread}`)).status).toBe(404)
  })
})

describe('when the reader leaves', () => {
  const body = counter({ until: 1000, delay: 20 }, { config: { recursion_limit: 2000 } })

  test.each([
    ['goes on', 'continue', 'running'],
    ['stops', 'cancel', 'interrupted'],
  ])('the run %s where on_disconnect is %s', async (_, on_disconnect, status) => {
    const thread = await server.newThread()
    const leave = new AbortController()
    const response = await server.open(
      'POST',
      `/threads/${thread}/runs/stream`,
      { ...body, on_disconnect },
      {},
      leave.signal,
    )
    const run = response.headers.get('content-location')?.split('/').at(-1) as string
    await readEvents(response).next()
    leave.abort()
    await sleep(200)
    await server.until(thread, run, status)
    if (status === 'running') await server.post(`/threads/${thread}/runs/${run}/cancel?wait=1`)
  })

  test('a joining reader can request cancellation on disconnect', async () => {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, body)).json
    await server.until(thread, run.run_id, 'running')
    const leave = new AbortController()
    const response = await server.open(
      'GET',
      `/threads/${thread}/runs/${run.run_id}/stream?cancel_on_disconnect=1`,
      undefined,
      {},
      leave.signal,
    )
    await readEvents(response).next()
    leave.abort()
    await server.until(thread, run.run_id, 'interrupted')
  })
})
