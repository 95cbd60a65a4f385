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
