import type { PassThrough } from 'node:stream'
import type { V1Pod } from '@kubernetes/client-node'
import { expect, test } from 'vitest'
import { PodLogs } from './pod-logs'

test('what a node says in place of the log of a container is no line of it', async () => {
  const lines: string[] = []
  const sent = 'unable to retrieve container logs for containerd://b78046\n2026-11-28T23:30:16.2Z a line\n'
  const log = {
    log: async (_namespace: string, _pod: string, _container: string, stream: NodeJS.WritableStream) => {
      stream.end(sent)
      return new AbortController()
    },
  }
  const read = new Promise<void>((resolve) => {
    const logs = new PodLogs(log as never, undefined, ({ text }) => {
      lines.push(text)
      if (text === 'a line') resolve()
    })
    const status = {
      containerStatuses: [{ name: 'agent', containerID: 'containerd://b78046', state: { terminated: {} } }],
    }
    logs.see({ metadata: { name: 'p', uid: 'u', namespace: 'agents' }, status } as unknown as V1Pod)
  })
  await read
  expect(lines).toEqual(['a line'])
})

test('a line is reported once when its container was started again before the reader knew', async () => {
  // As a node does: each request gets the log of the newest container of that name.
  const requests: PassThrough[] = []
  const told: string[] = []
  const log = {
    log: async (_namespace: string, _pod: string, _container: string, stream: PassThrough) => {
      requests.push(stream)
      return new AbortController()
    },
  }
  const logs = new PodLogs(log as never, undefined, ({ text }) => told.push(text))
  const see = (containerID: string) =>
    logs.see({
      metadata: { name: 'p', uid: 'u', namespace: 'agents' },
      status: { containerStatuses: [{ name: 'agent', containerID, state: { running: {} } }] },
    } as unknown as V1Pod)

  see('containerd://1')
  await expect.poll(() => requests.length).toBe(1)
  requests[0]?.end('2026-11-28T23:30:16.1Z first\n')
  // The reader of the first container asks again, and gets the log of the second, which is reported only then.
  await expect.poll(() => requests.length).toBe(2)
  requests[1]?.write('2026-11-28T23:30:17.1Z second\n')
  see('containerd://2')
  requests[1]?.end('2026-11-28T23:30:17.2Z third\n')
  await expect.poll(() => requests.length).toBe(3)
  requests[2]?.end('2026-11-28T23:30:17.1Z second\n2026-11-28T23:30:17.2Z third\n2026-11-28T23:30:17.3Z fourth\n')
  await expect.poll(() => told).toContain('fourth')
  expect(told).toEqual(['first', 'second', 'third', 'fourth'])
  logs.close()
})

/** What is told of a log that a node sends at once. */
async function toldOf(text: string, since?: Date) {
  const told: string[] = []
  let stream: PassThrough | undefined
  const log = {
    log: async (_namespace: string, _pod: string, _container: string, given: PassThrough) => {
      stream = given
      given.end(text)
      return new AbortController()
    },
  }
  const logs = new PodLogs(log as never, since, ({ text }) => told.push(text))
  const status = { containerStatuses: [{ name: 'agent', containerID: 'containerd://1', state: { terminated: {} } }] }
  logs.see({ metadata: { name: 'p', uid: 'u', namespace: 'agents' }, status } as unknown as V1Pod)
  await expect.poll(() => stream?.closed).toBe(true)
  return told
}

test.each(['2026-11-28T18:30:16.300000000-05:00', '2026-11-29T07:30:16.300000000+08:00'])(
  'a node writes times in its own zone: %s',
  async (time) => {
    const earlier = time.replace('16.3', '15.3')
    const told = await toldOf(`${earlier} before\n${time} after\n`, new Date('2026-11-28T23:30:16Z'))
    expect(told).toEqual(['after'])
  },
)

test('a line of standard error with an earlier time than the one before it is no repetition', async () => {
  const sent = '2026-11-28T23:30:16.000000002Z output\n2026-11-28T23:30:16.000000001Z error\n'
  expect(await toldOf(sent)).toEqual(['output', 'error'])
})

test('a request that was being sent when the reader closed is aborted', async () => {
  const request = new AbortController()
  let answer = () => {}
  const log = {
    log: () =>
      new Promise<AbortController>((resolve) => {
        answer = () => resolve(request)
      }),
  }
  const logs = new PodLogs(log as never, undefined, () => {})
  const status = { containerStatuses: [{ name: 'agent', containerID: 'containerd://1', state: { running: {} } }] }
  logs.see({ metadata: { name: 'p', uid: 'u', namespace: 'agents' }, status } as unknown as V1Pod)
  await Promise.resolve()
  logs.close()
  answer()
  await expect.poll(() => request.signal.aborted).toBe(true)
})
