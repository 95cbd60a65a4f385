import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { ThreadWatch } from './thread-watch'

/** Which threads other processes know to be read here. */
function watchOver() {
  const bus = Object.assign(new EventEmitter(), { instance: 7 })
  const state = {
    listed: new Set<string>(),
    statements: [] as string[],
    isDown: false,
    gate: undefined as Promise<void> | undefined,
  }
  const errors: string[] = []
  const query = async (text: string, [thread, instance]: [string, number]) => {
    state.statements.push(`${text.slice(0, 6)} ${thread} ${instance}`)
    await state.gate
    if (state.isDown) throw new Error('no database')
    if (text.startsWith('insert')) state.listed.add(thread)
    else state.listed.delete(thread)
    return []
  }
  const watch = new ThreadWatch({ query } as unknown as Db, bus as unknown as Bus, (line) => void errors.push(line))
  return { watch, bus, state, errors }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a thread is listed once, as long as anybody reads it here', async () => {
  const { watch, state } = watchOver()
  const [first, second] = [await watch.add('t'), await watch.add('t')]
  expect(state.statements).toEqual(['insert t 7'])
  first()
  await settle()
  expect([...state.listed]).toEqual(['t'])
  second()
  await settle()
  expect([[...state.listed], state.statements]).toEqual([[], ['insert t 7', 'delete t 7']])
  const third = await watch.add('t')
  expect([...state.listed]).toEqual(['t'])
  third()
})

test('a reader waits until the thread is listed, also one that comes meanwhile', async () => {
  const { watch, state } = watchOver()
  let open = () => {}
  state.gate = new Promise<void>((resolve) => (open = resolve))
  let added = 0
  const both = Promise.all([watch.add('t'), watch.add('t')].map((one) => one.then(() => (added += 1))))
  await settle()
  expect(added).toBe(0)
  open()
  await both
  expect([added, state.statements]).toEqual([2, ['insert t 7']])
})

test('a reader that comes as the last one leaves keeps the thread listed', async () => {
  const { watch, bus, state } = watchOver()
  const leave = await watch.add('t')
  leave()
  const next = await watch.add('t')
  await settle()
  expect([...state.listed]).toEqual(['t'])
  state.listed.clear()
  bus.emit('reconnected')
  await settle()
  expect([...state.listed]).toEqual(['t'])
  next()
  await settle()
  expect([...state.listed]).toEqual([])
})

test('a reader is refused if the thread cannot be listed, and the next one tries again', async () => {
  const { watch, state, errors } = watchOver()
  state.isDown = true
  await expect(watch.add('t')).rejects.toThrow('no database')
  await settle()
  expect(errors).toEqual(['The readers of a thread cannot be listed: no database'])
  state.isDown = false
  const leave = await watch.add('t')
  expect([...state.listed]).toEqual(['t'])
  leave()
})

test('all threads are listed again after a lost connection, and a failure of that is reported', async () => {
  const { watch, bus, state, errors } = watchOver()
  await watch.add('one')
  const leave = await watch.add('two')
  leave()
  await settle()
  state.listed.clear()
  bus.emit('reconnected')
  await settle()
  expect([[...state.listed], errors]).toEqual([['one'], []])
  state.isDown = true
  bus.emit('reconnected')
  await settle()
  expect(errors).toEqual(['The readers of a thread cannot be listed: no database'])
})
