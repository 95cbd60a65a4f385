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

test('an attempt that ends late does not hide that the next one writes here', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {}, tellEvents: () => {} })
  const stored: number[] = []
  const query = async (text: string, [, ids]: [unknown, number[]]) => {
    if (text.startsWith('insert')) stored.push(...ids)
    return text.startsWith('insert') ? [] : stored.map((id) => ({ id, event: 'custom', data: '' }))
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const kept = { isKept: true, isFollowed: false }
  const first = hub.begin('one', 1, kept)
  const { log, writer, release } = hub.begin('one', 2, kept)
  first.release()
  writer.add(log.publish('custom', '1'))
  const pages = []
  for await (const page of hub.stored('one', -1, log.lastId)) pages.push(...page)
  expect(pages.map(({ id }) => id)).toEqual([log.lastId])
  release()
})
