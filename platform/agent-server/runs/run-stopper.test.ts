import { expect, test } from 'vitest'
import type { Threads } from '../threads/threads'
import type { RunReaders } from './run-readers'
import type { RunRow } from './run-record'
import { RunStopper } from './run-stopper'
import type { Runs } from './runs'

/** Runs with their statuses; what runs ends only when its readers are told so. */
function stopperOver(statuses: Record<string, string>) {
  const done: string[] = []
  const row = (run_id: string) => (statuses[run_id] ? ({ run_id, status: statuses[run_id] } as RunRow) : undefined)
  const runs = {
    find: async (id: string) => row(id),
    cancel: async (id: string, action: string) => {
      done.push(`${action} ${id}`)
      if (statuses[id] === 'pending') statuses[id] = 'interrupted'
    },
    remove: async (id: string) => void done.push(`remove ${id}`),
    inProgress: async ({ threadId }: { threadId: string }) => (threadId === 't' ? Object.keys(statuses) : []),
    announceEnded: (ids: string[]) => void done.push(`ended ${ids}`),
    announceThreadDeleted: (id: string) => void done.push(`deleted ${id}`),
  }
  const threads = {
    get: async (id: string) => ({ thread_id: id.toLowerCase() }),
    remove: async (id: string) => void done.push(`thread ${id}`),
  }
  const readers = { ended: async ({ run_id }: RunRow) => void done.push(`wait ${run_id}`) }
  const stopper = new RunStopper(
    runs as unknown as Runs,
    threads as unknown as Threads,
    readers as unknown as RunReaders,
  )
  return { stopper, done, row }
}

test('a thread is removed once its runs have stopped, the newest first, and its readers are told', async () => {
  const { stopper, done } = stopperOver({ first: 'running', second: 'pending', third: 'pending' })
  await stopper.removeThread('T')
  expect(done).toEqual([
    ...['interrupt third', 'interrupt second', 'interrupt first', 'wait first', 'thread t'],
    ...['ended first,second,third', 'deleted t'],
  ])
})

test('a run is removed once it has stopped', async () => {
  const { stopper, done, row } = stopperOver({ one: 'running' })
  await stopper.removeRun(row('one') as RunRow)
  expect(done).toEqual(['interrupt one', 'wait one', 'remove one'])
})

test('nothing waits for a run that has ended or is gone', async () => {
  const { stopper, done } = stopperOver({ over: 'success', active: 'running' })
  for (const run_id of ['over', 'gone', 'active'])
    await stopper.waitForEnd({ run_id, status: 'running' } as RunRow, new AbortController().signal)
  expect(done).toEqual(['wait active'])
})
