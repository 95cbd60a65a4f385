import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

async function waiting() {
  const thread = await server.newThread()
  const response = await server.post(`/threads/${thread}/runs/wait`, {
    assistant_id: 'approval',
    input: { topic: 'tea' },
  })
  return { thread, response }
}
const resume = (thread: string, command: object, more: object = {}) =>
  server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'approval', command, ...more })

describe('a graph that interrupts', () => {
  test('reports the interrupt in the response, the run, the thread record and the state', async () => {
    const { thread, response } = await waiting()
    expect(response.json).toMatchObject({
      draft: 'About tea',
      __interrupt__: [{ id: expect.any(String), value: { question: 'Send it?', draft: 'About tea' } }],
    })
    const [run] = (await server.get(`/threads/${thread}/runs`)).json
    expect(run.status).toBe('interrupted')
    const state = (await server.get(`/threads/${thread}/state`)).json
    expect(state).toMatchObject({
      next: ['review'],
      tasks: [{ name: 'review', interrupts: [{ value: { question: 'Send it?' } }] }],
    })
    expect(state.interrupts).toEqual(state.tasks[0].interrupts)
    expect((await server.get(`/threads/${thread}`)).json).toMatchObject({
      status: 'interrupted',
      values: { draft: 'About tea' },
      interrupts: { [state.tasks[0].id]: state.interrupts },
    })
    expect((await server.post('/threads/search', { status: 'interrupted', ids: [thread] })).json).toHaveLength(1)
  })

  test('with strict resume accepts an answer only to an open interrupt', async () => {
    const { thread, response } = await waiting()
    const strict = { strict_resume: true }
    const path = ['body', 'command', 'resume']
    const wrongId = await resume(thread, { resume: { ['0'.repeat(32)]: 'yes' } }, strict)
    expect([wrongId.status, wrongId.json.detail[0].loc]).toEqual([422, path])
    expect(wrongId.json.detail[0].msg).toContain('is not open')
    const right = await resume(thread, { resume: { [response.json.__interrupt__[0].id]: 'yes' } }, strict)
    expect(right.json.answer).toBe('yes')
    const late = await resume(thread, { resume: 'again' }, strict)
    expect([late.status, late.json.detail[0].msg]).toEqual([422, `Thread ${thread} has no open interrupt`])
    const plain = await resume((await waiting()).thread, { resume: 'sure' }, strict)
    expect(plain.json.answer).toBe('sure')
  })

  test('streams the interrupt in values and updates, without an error', async () => {
    const thread = await server.newThread()
    const events = await server.stream(`/threads/${thread}/runs/stream`, {
      assistant_id: 'approval',
      input: {},
      stream_mode: ['values', 'updates'],
    })
    const asked = events.filter(({ data }) => data.__interrupt__)
    expect(asked.map(({ event }) => event).sort()).toEqual(['updates', 'values'])
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'interrupted' } })
    expect(events.some(({ event }) => event === 'error')).toBe(false)
  })

  test('resumes with an answer given by value or by interrupt id', async () => {
    const one = await waiting()
    expect((await resume(one.thread, { resume: 'yes' })).json.draft).toBe('About tea (yes)')
    expect((await server.get(`/threads/${one.thread}`)).json).toMatchObject({ status: 'idle', interrupts: {} })
    const two = await waiting()
    expect(
      (await resume(two.thread, { resume: { [two.response.json.__interrupt__[0].id]: 'of course' } })).json.draft,
    ).toBe('About tea (of course)')
  })

  test('accepts commands with update and goto', async () => {
    const { thread } = await waiting()
    const { json } = await resume(thread, { update: { draft: 'mine', answer: 'me' }, goto: 'send' })
    expect(json.draft).toBe('mine (me)')
    const other = await waiting()
    expect(
      (await resume(other.thread, { goto: [{ node: 'send', input: { draft: 'sent', answer: 'x' } }] })).json.draft,
    ).toBe('sent (x)')
  })

  test('rolling back a resumed run leaves the interrupt open', async () => {
    const { thread } = await waiting()
    const before = (await server.get(`/threads/${thread}/state`)).json
    const run = (
      await server.post(`/threads/${thread}/runs`, {
        assistant_id: 'approval',
        command: { resume: 'yes' },
        interrupt_before: ['send'],
      })
    ).json
    await server.until(thread, run.run_id, 'interrupted')
    expect((await server.get(`/threads/${thread}/state`)).json.next).toEqual(['send'])
    const slow = await server.newThread()
    await server.post(`/threads/${slow}/runs/wait`, {
      assistant_id: 'counter',
      input: { until: 100, delay: 30 },
      interrupt_after: ['step'],
      config: { recursion_limit: 200 },
    })
    const state = (await server.get(`/threads/${slow}/state`)).json
    expect((await server.get(`/threads/${slow}`)).json.status).toBe('interrupted')
    const going = (
      await server.post(`/threads/${slow}/runs`, {
        assistant_id: 'counter',
        input: null,
        config: { recursion_limit: 200 },
      })
    ).json
    await server.until(slow, going.run_id, 'running')
    await sleep(150)
    await server.post(`/threads/${slow}/runs/${going.run_id}/cancel?wait=1&action=rollback`)
    expect((await server.get(`/threads/${slow}/state`)).json).toEqual(state)
    expect((await server.get(`/threads/${slow}`)).json.status).toBe('interrupted')
    expect(before.next).toEqual(['review'])
  })

  test('rolling back a resumed run also discards its answer', async () => {
    const thread = await server.newThread()
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'slowApproval', input: {} })
    const before = (await server.get(`/threads/${thread}/state`)).json
    expect(before.interrupts).toHaveLength(1)
    const run = (
      await server.post(`/threads/${thread}/runs`, { assistant_id: 'slowApproval', command: { resume: 'yes' } })
    ).json
    await server.until(thread, run.run_id, 'running')
    await sleep(100)
    await server.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=1&action=rollback`)
    expect((await server.get(`/threads/${thread}/state`)).json).toEqual(before)
    expect((await server.get(`/threads/${thread}`)).json.status).toBe('interrupted')
    expect(
      (
        await server.post(`/threads/${thread}/runs/wait`, {
          assistant_id: 'slowApproval',
          command: { resume: 'quick' },
        })
      ).json.answer,
    ).toBe('quick')
  })
})

describe('breakpoints', () => {
  const body = (more: object) => ({ assistant_id: 'approval', input: { topic: 'tea' }, ...more })

  test('stop before a node, after a node and at every node; null input continues', async () => {
    const thread = await server.newThread()
    const first = (await server.post(`/threads/${thread}/runs/wait`, body({ interrupt_before: ['write'] }))).json
    expect(first).toMatchObject({ topic: 'tea' })
    expect((await server.get(`/threads/${thread}/state`)).json.next).toEqual(['write'])
    expect((await server.get(`/threads/${thread}`)).json.status).toBe('interrupted')
    await server.post(`/threads/${thread}/runs/wait`, {
      assistant_id: 'approval',
      input: null,
      interrupt_after: ['write'],
    })
    expect((await server.get(`/threads/${thread}/state`)).json).toMatchObject({
      next: ['review'],
      values: { draft: 'About tea' },
      interrupts: [],
    })
    const other = await server.newThread()
    await server.post(`/threads/${other}/runs/wait`, body({ interrupt_before: '*' }))
    expect((await server.get(`/threads/${other}/state`)).json.next).toEqual(['write'])
  })
})
