import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { GraphLoadError } from './assistants/graphs'
import { runProgram } from './program'
import type { AgentServer } from './start'

// Timers must not end the process of the tests after four seconds.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

type Sent = { message: unknown; done: (() => void) | undefined }

/** The program in a process of the test, whose server can be stopped and drained when the test says. */
async function run(
  start: () => Promise<Partial<AgentServer>> = async () => ({}),
  { hasLauncher = true, server = {} as Partial<AgentServer> } = {},
) {
  const exits: number[] = []
  const sent: Sent[] = []
  const out: string[] = []
  const err: string[] = []
  const host = Object.assign(new EventEmitter(), {
    exit: (code: number) => void exits.push(code),
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    ...(hasLauncher && { send: (message: unknown, done?: () => void) => sent.push({ message, done }) }),
  })
  let log: Parameters<Parameters<typeof runProgram>[1]>[0] = () => {}
  await runProgram(host as unknown as Parameters<typeof runProgram>[0], async (given) => {
    log = given
    return { port: 8123, authenticates: true, ...server, ...(await start()) } as AgentServer
  })
  return { host, exits, sent: () => sent.map(({ message }) => message), last: () => sent.at(-1), out, err, log }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const deferred = () => {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

describe('an agent server', () => {
  test('that has started tells its launcher where it is', async () => {
    const { sent, out, err, exits } = await run()
    expect(sent()).toEqual([{ ready: { port: 8123, authenticates: true } }])
    expect(out).toEqual(['{"level":"info","message":"The agent server listens on port 8123."}\n'])
    expect([err, exits]).toEqual([[], []])
  })

  test('runs without a launcher too', async () => {
    const { out, exits } = await run(undefined, { hasLauncher: false })
    expect([out.length, exits]).toEqual([1, []])
  })

  test('writes its log as lines of JSON, errors apart, with the run that they are of', async () => {
    const { log, out, err } = await run()
    log('info', 'a "line"', 'r1')
    log('error', 'bad')
    expect(out.at(-1)).toBe('{"level":"info","message":"a \\"line\\"","run_id":"r1"}\n')
    expect(err).toEqual(['{"level":"error","message":"bad"}\n'])
  })

  test.each([
    [new GraphLoadError('chat', 'broken'), { graph: 'chat', message: 'broken' }, /^Graph "chat" cannot be loaded: /],
    [new GraphLoadError(undefined, 'no file'), { message: 'no file' }, /^GraphLoadError: no file/],
    [new Error('no database'), { message: 'no database' }, /^Error: no database/],
  ])('that cannot start tells its launcher why, and ends once that is sent', async (error, failed, line) => {
    const { sent, last, err, exits } = await run(() => Promise.reject(error))
    expect(sent()).toEqual([{ failed }])
    expect(err).toEqual([expect.stringMatching(line)])
    expect(exits).toEqual([])
    last()?.done?.()
    expect(exits).toEqual([1])
  })

  test('that cannot start ends at once without a launcher', async () => {
    const { exits } = await run(() => Promise.reject(new Error('x')), { hasLauncher: false })
    expect(exits).toEqual([1])
  })

  test('that is drained says when it is idle; other messages mean nothing', async () => {
    const { promise, resolve } = deferred()
    const drain = vi.fn(() => promise)
    const { host, sent } = await run(undefined, { server: { drain } })
    for (const message of [null, 'drain', {}, { drain: 1 }]) host.emit('message', message)
    expect(drain).not.toHaveBeenCalled()
    host.emit('message', { drain: true })
    await turn()
    expect(sent()).toHaveLength(1)
    resolve()
    await turn()
    expect(sent().slice(1)).toEqual([{ idle: true }])
  })
})

test('an agent server answers its launcher, which ends one that hangs', async () => {
  const { host, sent } = await run()
  host.emit('message', { ping: true })
  expect(sent().slice(1)).toEqual([{ pong: true }])
})

describe('the end', () => {
  test.each(['SIGTERM', 'SIGINT', 'disconnect'])('after %s comes when the server has stopped, once', async (event) => {
    const { promise, resolve } = deferred()
    const stop = vi.fn(() => promise)
    const { host, exits, err } = await run(undefined, { server: { stop } })
    host.emit(event)
    host.emit('SIGTERM')
    host.emit('disconnect')
    await turn()
    expect([stop.mock.calls.length, exits]).toEqual([1, []])
    resolve()
    await turn()
    expect([exits, err]).toEqual([[0], []])
  })

  test('comes after four seconds at the latest', async () => {
    const { host, exits } = await run(undefined, { server: { stop: () => new Promise(() => {}) } })
    host.emit('SIGTERM')
    vi.advanceTimersByTime(3999)
    expect(exits).toEqual([])
    vi.advanceTimersByTime(1)
    expect(exits).toEqual([0])
  })

  test('comes even if the stop fails, which is logged', async () => {
    const { host, exits, err } = await run(undefined, { server: { stop: () => Promise.reject(new Error('stuck')) } })
    host.emit('SIGTERM')
    await turn()
    expect([exits, err]).toEqual([[0], [expect.stringContaining('The stop was not clean: Error: stuck')]])
  })

  test('comes at once if the server has not started yet', async () => {
    const host = Object.assign(new EventEmitter(), { exit: vi.fn(), stdout: { write() {} }, stderr: { write() {} } })
    void runProgram(host as never, () => new Promise(() => {}))
    host.emit('message', { drain: true })
    host.emit('SIGTERM')
    await turn()
    expect(host.exit.mock.calls).toEqual([[0]])
  })
})

test('a rejection that nobody handles is logged, and an exception that nobody catches ends the process', async () => {
  const { host, exits, err } = await run()
  host.emit('unhandledRejection', new Error('nobody waits'))
  expect([err, exits]).toEqual([[expect.stringContaining('Unhandled rejection: Error: nobody waits')], []])
  host.emit('uncaughtException', new Error('broken'))
  expect(exits).toEqual([70])
  expect(err.at(-1)).toContain('Uncaught exception; the process exits: Error: broken')
})
