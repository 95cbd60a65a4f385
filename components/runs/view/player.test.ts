import { expect, test } from 'vitest'
import { EntryLog } from '@/lib/stream/entry-log'
import { messageText } from '@/lib/stream/messages'
import { messagesOf } from '@/lib/stream/run-view'
import type { RunClock } from './browser-clock'
import { Player } from './player'

/** A manual clock; pending tasks run when the test asks for it. */
function stillClock() {
  let time = 0
  let frames: (() => void)[] = []
  const soon: (() => void)[] = []
  const clock: RunClock = {
    now: () => time,
    later: (task) => soon.push(task),
    nextFrame: (task) => frames.push(task),
  }
  const flush = () => {
    while (soon.length > 0) for (const task of soon.splice(0)) task()
  }
  const pass = (ms: number) => {
    time += ms
    const due = frames
    frames = []
    for (const task of due) task()
    flush()
  }
  return { clock, pass, flush }
}

function recorded(): EntryLog {
  const log = new EntryLog(1e9)
  for (let seq = 1; seq <= 100; seq++)
    log.push({
      seq,
      at: 5_000 + seq * 100,
      kind: 'event',
      event: 'messages',
      data: JSON.stringify([{ type: 'AIMessageChunk', id: 'm', content: `${seq} ` }, {}]),
    })
  return log
}
const wordsOf = (player: Player) => {
  const [message] = messagesOf(player.store.view)
  return message ? messageText(message).trim().split(' ').length : 0
}

test('speed 20 plays twenty times as fast and stops at the end', () => {
  const { clock, pass } = stillClock()
  const player = new Player(recorded(), clock)
  player.play()
  pass(1_000)
  expect(wordsOf(player)).toBe(11)
  player.setSpeed(20)
  pass(100)
  expect(wordsOf(player)).toBe(31)
  pass(10_000)
  pass(16)
  expect(wordsOf(player)).toBe(100)
  expect(player.isPlaying).toBe(false)
})

test('a moment looks the same however it is reached', () => {
  const { clock, flush } = stillClock()
  const player = new Player(recorded(), clock)
  for (const [position, words] of [
    [9_900, 100],
    [2_000, 21],
    [2_050, 21],
    [7_000, 71],
    [0, 1],
  ] as const) {
    player.seek(position)
    flush()
    expect(wordsOf(player)).toBe(words)
    expect(player.store.view.seq).toBe(words)
  }
})

test('a jump back cancels an unfinished jump forward', () => {
  const { clock, flush } = stillClock()
  const player = new Player(recorded(), clock)
  player.seek(9_900)
  player.seek(1_000)
  flush()
  expect(wordsOf(player)).toBe(11)
})
