import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodeChunk } from '../log/chunk'
import { RecordingLog } from '../log/recording-log'
import { until } from '../testing'
import { encodeMessage } from './messages'
import { Neighbours } from './neighbours'

let folder: string
let opened: Neighbours[]
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-'))
  opened = []
})
afterEach(() => {
  for (const one of opened) one.close()
  rmSync(folder, { recursive: true })
})

const newLog = (id: string) =>
  new RecordingLog({ id, workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })

/** A process that records some logs, follows others and notes what it is told. */
async function open(instance: number) {
  const recorded = new Map<string, RecordingLog>()
  const followed = new Map<string, RecordingLog>()
  const missing: string[] = []
  let losses = 0
  const neighbours = new Neighbours(
    folder,
    instance,
    {
      recorded: (id) => recorded.get(id),
      followed: () => followed.values(),
      onChunk: ({ id, chunk, stored }) => {
        if (followed.get(id)?.adopt(chunk, stored) === false) missing.push(id)
      },
      onLost: () => losses++,
    },
    500_000,
  )
  opened.push(neighbours)
  await neighbours.open()
  return {
    neighbours,
    missing,
    losses: () => losses,
    record(id: string): RecordingLog {
      const log = newLog(id)
      log.onChunk = (chunk) => neighbours.tell(log, chunk)
      recorded.set(id, log)
      return log
    },
    follow(id: string): RecordingLog {
      const log = newLog(id)
      followed.set(id, log)
      neighbours.want(log)
      return log
    },
  }
}

const append = (log: RecordingLog, data: string) => {
  log.append({ at: 1, kind: 'event', event: 'custom', data })
  log.seal()
}
const textOf = (log: RecordingLog) =>
  (log.read(0, 1e9) ?? []).flatMap(decodeChunk).map((entry) => (entry.kind === 'event' ? entry.data : entry.kind))

test('both get from each other what they follow, no matter who was there first, from the cursor on', async () => {
  const one = await open(1)
  const [first, second] = [randomUUID(), randomUUID()]
  const recorded = one.record(first)
  append(recorded, 'before')
  const two = await open(2)
  const copy = two.follow(first)
  await until(() => one.neighbours.has(2) && two.neighbours.has(1))
  await until(() => copy.last === 1)
  append(recorded, 'after')
  await until(() => copy.last === 2)
  expect([textOf(copy), copy.stored]).toEqual([['before', 'after'], 0])
  recorded.stored = 2
  append(recorded, 'more')
  await until(() => copy.last === 3)
  expect(copy.stored).toBe(2)

  const back = one.follow(second)
  append(two.record(second), 'back')
  await until(() => back.last === 1)
  expect(one.neighbours.has(3)).toBe(false)
})

test('what was asked before it is recorded comes once it is', async () => {
  const [one, two] = [await open(1), await open(2)]
  const id = randomUUID()
  const copy = two.follow(id)
  await until(() => one.neighbours.has(2))
  append(one.record(id), 'first')
  await until(() => copy.last === 1)
})

test('what is no longer in memory is told to be missing', async () => {
  const [one, two] = [await open(1), await open(2)]
  const id = randomUUID()
  const recorded = one.record(id)
  for (const letter of 'abc') append(recorded, letter.repeat(100_000))
  recorded.stored = 3
  while (recorded.evict() > 0);
  expect(recorded.firstHeld).toBe(3)
  two.follow(id)
  await until(() => two.missing.length > 0)
  expect(two.missing).toEqual([id])
})

test('nothing comes of what is no longer followed', async () => {
  const [one, two] = [await open(1), await open(2)]
  const [dropped, kept] = [randomUUID(), randomUUID()]
  const [copy, other] = [two.follow(dropped), two.follow(kept)]
  const [recorded, also] = [one.record(dropped), one.record(kept)]
  append(recorded, 'one')
  await until(() => copy.last === 1)
  two.neighbours.drop(dropped)
  append(also, 'one')
  await until(() => other.last === 1) // sent after the drop
  append(recorded, 'two')
  append(also, 'two')
  await until(() => other.last === 2)
  expect(copy.last).toBe(1)
})

test('when one has ended, the other looks into the store, and meets its successor', async () => {
  const [one, two] = [await open(1), await open(2)]
  const id = randomUUID()
  const copy = two.follow(id)
  await until(() => one.neighbours.has(2) && two.neighbours.has(1))
  one.neighbours.close()
  await until(() => two.losses() === 1 && !two.neighbours.has(1))
  const next = await open(3)
  append(next.record(id), 'again')
  await until(() => copy.last === 1)
  expect(two.losses()).toBe(1)
})

test('one that does not read what it asked for is left to the store', async () => {
  const one = await open(1)
  const id = randomUUID()
  const recorded = one.record(id)
  const deaf = net.connect(path.join(folder, '1')).pause()
  deaf.write(
    Buffer.concat([...encodeMessage({ kind: 'hello', instance: 2 }), ...encodeMessage({ kind: 'want', id, last: 0 })]),
  )
  await until(() => one.neighbours.has(2))
  await until(() => {
    append(recorded, 'x'.repeat(100_000))
    return !one.neighbours.has(2)
  })
  deaf.destroy()
})

test('who says something unknown is not listened to, and others are', async () => {
  const one = await open(1)
  const stranger = net.connect(path.join(folder, '1'))
  stranger.write(Buffer.from([0, 0, 0, 1, 9]))
  await new Promise((resolve) => stranger.once('close', resolve))
  const two = await open(2)
  await until(() => one.neighbours.has(2) && two.neighbours.has(1))
})
