import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestConsole, testConsole } from '../../testing'
import { writeSegments } from '../segments'
import { insertRecording } from '../store'
import { until } from '../testing'
import { WakeLine } from './wake'

let console_: TestConsole
beforeAll(async () => {
  console_ = await testConsole()
})
afterAll(async () => {
  await console_.close()
})

test('an instance knows whether it is alone; a later one is told at once to check everything', async () => {
  const heard: Record<number, (string[] | 'all' | 'left')[]> = { 1: [], 2: [] }
  const line = (instance: 1 | 2) => new WakeLine(instance, (ids) => heard[instance]?.push(ids))
  const first = line(1)
  expect(first.hasOthers).toBe(true)
  await first.open()
  expect(first.hasOthers).toBe(false)

  const second = line(2)
  await second.open()
  expect(second.hasOthers).toBe(true)
  await until(() => first.hasOthers)
  // Once for its own start, once more because the first only notifies after it heard of another.
  await until(() => heard[2]?.length === 2)
  expect(heard[2]).toEqual(['all', 'all'])
  await until(() => heard[1]?.length === 2)

  await second.close()
  await until(async () => {
    await first.look()
    return !first.hasOthers
  })
  await first.close()
})

test('each recording that was written is named, however many there are', async () => {
  const heard: (string[] | 'all' | 'left')[] = []
  const line = new WakeLine(4, (ids) => heard.push(ids))
  await line.open()
  heard.length = 0
  const ids = Array.from({ length: 220 }, () => randomUUID())
  const facts = { deployment: 'one', assistant: 'agent', startedBy: 'ada@example.com', request: '{}' }
  await Promise.all(
    ids.map((id) =>
      insertRecording({ ...facts, id, workspace: 'tests', isStateless: false, isResumable: true, owner: 5 }),
    ),
  )
  const chunk = { first: 1, last: 1, bytes: Buffer.from('{}') }
  await writeSegments(
    ids.map((recording) => ({ recording, chunk, lastEventId: null })),
    5,
    true,
  )
  await until(() => heard.flat().length === ids.length)
  expect(heard.flat()).toEqual(ids)
  await line.close()
})

test('looks and greetings at the same time wait for each other', async () => {
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  const line = new WakeLine(3, () => {})
  await line.open()
  await Promise.all([line.look(), line.look(), line.look()])
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  await line.close()
  expect(warnings).toEqual([])
})
