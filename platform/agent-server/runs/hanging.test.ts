import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, vi } from 'vitest'
import { query } from '@/scripts/testing'
import { type ChildServer, collect, nextEvent, readEvents, storeTest } from '../testing'

// Processes that hang with their connections open, and go on later.

// Generous, because processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const folder = mkdtempSync(path.join(os.tmpdir(), 'agent-hanging-'))
afterAll(() => rmSync(folder, { recursive: true }))

const hang = { PILOTHOUSE_AGENT_HANG_SECONDS: '2' }
const stepsIn = (file: string) => readFileSync(file, 'utf8').trim().split('\n').map(Number)
const activeIn = async (server: ChildServer) =>
  /^agent_queue_active (\d+)/m.exec((await server.get('/metrics')).text)?.[1]

storeTest(
  'the runs of a process that hangs go on in another one, and what it still does afterwards changes nothing',
  async ({ store: { start, url } }) => {
    // Alone at first, so that it claims the run.
    const a = await start(hang)
    const thread = await a.newThread()
    const file = path.join(folder, 'hung')
    writeFileSync(`${file}.hold-after-3`, '')
    const response = await a.open('POST', `/threads/${thread}/runs/stream`, {
      ...{ assistant_id: 'counter', input: { until: 6, delay: 50, file }, stream_mode: 'custom' },
      stream_resumable: true,
    })
    const own = readEvents(response)
    const run = (await nextEvent(own, 'metadata')).data.run_id as string
    const b = await start(hang)
    const location = response.headers.get('location') as string
    const elsewhere = readEvents(await b.open('GET', location, undefined, { 'last-event-id': '-1' }))
    for (let seen = 0; seen < 3; seen = (await nextEvent(own, 'custom')).data.count);

    a.child.kill('SIGSTOP')
    const attempt = async () => (await query(url, 'select attempt from agent_test.runs'))[0]
    await expect.poll(attempt, { timeout: 30_000 }).toEqual({ attempt: 2 })
    rmSync(`${file}.hold-after-3`)
    await b.until(thread, run, 'success')
    expect((await collect(elsewhere)).at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    const stored = () =>
      query(
        url,
        `select (select json_agg(c) from agent_test.checkpoints c) as checkpoints,
           (select json_agg(w) from agent_test.checkpoint_writes w) as writes, (select json_agg(e) from agent_test.run_events e) as events,
           (select json_agg(r) from agent_test.runs r) as runs, (select json_agg(t) from agent_test.threads t) as threads`,
      )
    const before = await stored()

    a.child.kill('SIGCONT')
    const rest = await collect(own)
    expect(rest.filter(({ event }) => event !== 'custom').map(({ event, data }) => [event, data.attempt])).toEqual([
      ['metadata', 2],
      ['end', undefined],
    ])
    const ids = rest.map(({ id }) => Number(id))
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other))
    await expect.poll(() => activeIn(a)).toBe('0')
    expect(await stored()).toEqual(before)
    // It was in the fourth step, and may have begun the next one before it noticed.
    expect([4, 5]).toEqual(expect.arrayContaining(stepsIn(file).slice(6)))
    expect(a.output.join('')).toContain('The connection for notices was lost')

    // It is one of the processes again.
    expect(await query(url, 'select from agent_test.instances')).toHaveLength(2)
    const next = { assistant_id: 'counter', input: { until: 1, count: 0 } }
    expect((await a.post(`/threads/${thread}/runs/wait`, next)).json.count).toBe(1)
  },
)

storeTest(
  'a process that was alone gives its runs back when it goes on, and repeats no step',
  async ({ store: { start, url } }) => {
    const only = await start(hang)
    const thread = await only.newThread()
    const file = path.join(folder, 'alone')
    writeFileSync(`${file}.hold-after-3`, '')
    const body = { assistant_id: 'counter', input: { until: 6, file }, stream_mode: 'custom' }
    const events = readEvents(await only.open('POST', `/threads/${thread}/runs/stream`, body))
    for (let seen = 0; seen < 3; seen = (await nextEvent(events, 'custom')).data.count);
    only.child.kill('SIGSTOP')
    await sleep(4000)
    rmSync(`${file}.hold-after-3`)
    only.child.kill('SIGCONT')
    expect((await collect(events)).at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    expect(stepsIn(file)).toEqual([1, 2, 3, 4, 5, 6])
    expect(await query(url, 'select attempt, crashes from agent_test.runs')).toEqual([{ attempt: 2, crashes: 0 }])
  },
)
