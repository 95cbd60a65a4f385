import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestConsole, testConsole } from '../testing'
import { type LockKey, withEditLock } from './lock'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})

/** Holds a lock until `release` is called. */
async function hold(key: LockKey) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let done: Promise<void> | undefined
  await new Promise<void>((held) => {
    done = withEditLock(key, async () => {
      held()
      await released
    })
  })
  return { release, done }
}

test('a lock is held by one edit at a time', async () => {
  const key: LockKey = ['item', 'w', 'd', 'a', 'b']
  const first = await hold(key)
  const order: string[] = []
  const second = withEditLock(key, async () => void order.push('second'))
  // Another key's lock was granted and released meanwhile, so the second edit had its chance to run.
  await withEditLock(['item', 'w', 'd', 'a', 'other'], async () => void order.push('other'))
  order.push('first')
  first.release()
  await Promise.all([first.done, second])
  expect(order).toEqual(['other', 'first', 'second'])
})

test.each<[LockKey, LockKey]>([
  [
    ['item', 'w', 'd', 'a b', 'c'],
    ['item', 'w', 'd', 'a', 'b c'],
  ],
  [
    ['thread', 'w', 'd', 'x'],
    ['assistant', 'w', 'd', 'x'],
  ],
  [
    ['deployment', 'w', 'new d'],
    ['new deployment', 'w', 'd'],
  ],
])('%j and %j do not wait for each other', async (one, other) => {
  const held = await hold(one)
  await withEditLock(other, async () => {})
  held.release()
  await held.done
})
