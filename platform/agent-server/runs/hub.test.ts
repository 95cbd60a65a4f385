import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { Hub } from './hub'

test('a reader that comes while the run changes hands gets nothing again that it has', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {} })
  const query = async (text: string, [, from]: number[][]) => {
    if (text.includes('max(id)')) {
      bus.emit('message', { kind: 'ended', run: 'one' }) // its process is gone, and it waits for the next one
      await new Promise((resolve) => setImmediate(resolve))
      return [{ id: '5' }]
    }
    if (text.includes('status from runs')) return [{ run_id: 'one', status: 'pending' }]
    const after = from?.[0] ?? -1
    return [0, 1, 2, 3, 4, 5, 6]
      .filter((id) => id > after)
      .map((id) => ({ run_id: 'one', id, event: 'custom', data: '' }))
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const { log, release } = hub.acquire('one')
  const run = { run_id: 'one', status: 'running', is_resumable: true, is_watched: false, creator: 2, owner: 2 }
  const following = hub.follow(run)
  const reader = log.attach()
  await following
  expect((await reader.take(2000))?.map(({ id }) => id)).toEqual([6])
  release()
})
