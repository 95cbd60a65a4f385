import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { Entry } from './events'
import { ThreadReader, type ThreadView } from './thread-reader'

test('a reader that is late gets one run after the other, because it resumes after the last number', async () => {
  const bus = new EventEmitter()
  const rows = new Map(['first', 'second'].map((id, seq) => [id, { run_id: id, seq: seq + 1, status: 'running' }]))
  const services = {
    bus,
    db: {
      query: async (sql: string, [id]: string[]) => (sql.includes('where run_id') ? [rows.get(id as string)] : []),
    },
    watch: { add: async () => () => {} },
    readers: {
      subscribe: () => ({ release() {} }),
      async *read({ run_id }: { run_id: string }): AsyncGenerator<Entry[]> {
        for (const id of [0, 1, 2]) yield [{ id, event: 'values', data: `${run_id} ${id}` }]
      },
    },
  }
  const view: ThreadView = {
    wanted: {},
    framesOf: (_, entries) => entries.map(({ event, data }) => ({ id: '', event, data })),
  }
  const stop = new AbortController()
  const reader = new ThreadReader(services as never, 'thread', view, stop.signal)
  const body = await reader.open(undefined)
  for (const run of rows.keys()) bus.emit('thread', { thread: 'thread', run })
  await new Promise((resolve) => setImmediate(resolve))
  let text = ''
  for await (const part of body) {
    text += Buffer.from(part).toString()
    if (text.includes('second 2')) break
  }
  stop.abort()
  expect([...text.matchAll(/data: (.*)/g)].map(([, data]) => data)).toEqual(
    ['first', 'second'].flatMap((run) => [0, 1, 2].map((id) => `${run} ${id}`)),
  )
})
