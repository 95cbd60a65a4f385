import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { Entry } from './events'
import { type Cursor, ThreadReader, type ThreadView } from './thread-reader'

type Row = { run_id: string; seq: number; status: string }
const view: ThreadView = {
  wanted: {},
  framesOf: (_, entries) => entries.map(({ event, data }) => ({ id: '', event, data })),
}

/** Reads until `last`; `onOpen` gets the bus on which runs are announced. */
async function readThread(
  rows: readonly Row[],
  cursor: Cursor | undefined,
  last: string,
  onOpen = (_: EventEmitter) => {},
) {
  const bus = new EventEmitter()
  const query = async (sql: string, [, from, runId]: (string | number)[]) => {
    if (sql.includes('max(seq)')) return [{ seq: cursor ? rows.length : 0 }]
    return rows.filter(({ run_id, seq }) => seq >= Number(from) || run_id === runId)
  }
  const services = {
    bus,
    db: { query },
    watch: { add: async () => () => {} },
    readers: {
      subscribe: () => ({ release() {} }),
      async *read({ run_id, status }: Row): AsyncGenerator<Entry[]> {
        // What is stored takes longer to be read than what is sent.
        if (status === 'success') await new Promise((resolve) => setTimeout(resolve, 5))
        for (const id of [0, 1, 2]) yield [{ id, event: 'values', data: `${run_id} ${id}` }]
      },
    },
  }
  const stop = new AbortController()
  const body = await new ThreadReader(services as never, 'thread', view, stop.signal).open(cursor)
  onOpen(bus)
  await new Promise((resolve) => setImmediate(resolve))
  let text = ''
  for await (const part of body) {
    text += Buffer.from(part).toString()
    if (text.includes(last)) break
  }
  stop.abort()
  return [...text.matchAll(/data: (.*)/g)].map(([, data]) => data)
}
const eventsOf = (...runs: string[]) => runs.flatMap((run) => [0, 1, 2].map((id) => `${run} ${id}`))
const row = (run_id: string, seq: number, status = 'running'): Row => ({ run_id, seq, status })
const announce =
  (...runs: string[]) =>
  (bus: EventEmitter) => {
    for (const run of runs) bus.emit('thread', { thread: 'thread', run })
  }

test('a reader that is late gets one run after the other, because it resumes after the last number', async () => {
  const rows = [row('first', 1), row('second', 2)]
  const read = await readThread(rows, undefined, 'second 2', announce('first', 'second'))
  expect(read).toEqual(eventsOf('first', 'second'))
})

test('runs that have ended do not wait for the one in progress, which waits for them', async () => {
  const rows = [row('first', 1, 'success'), row('second', 2, 'success'), row('third', 3)]
  expect(await readThread(rows, { seq: 0, id: -1 }, 'third 2')).toEqual(eventsOf('first', 'second', 'third'))
}, 2000)

test('a run that was never announced, because its process died, comes before the next one', async () => {
  const rows = [row('silent', 1, 'success'), row('second', 2)]
  expect(await readThread(rows, undefined, 'second 2', announce('second'))).toEqual(eventsOf('silent', 'second'))
}, 2000)
