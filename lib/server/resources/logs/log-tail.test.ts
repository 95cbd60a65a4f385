import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogEntry, LogsPage } from '@/lib/contracts/deployments/logs'
import { LogTail } from './log-tail'

const SIZE = 3
type Log = (LogEntry & { message: string })[]
type Server = (log: Log, offset: string | undefined) => LogsPage

/** Ways in which servers page, observed or possible. Each page has at most `SIZE` lines. */
const servers: Record<string, Server> = {
  'a cursor after every page that had lines': (log, offset) => {
    const from = offset === undefined ? 0 : Number(offset)
    const logs = log.slice(from, from + SIZE)
    return { logs, next_offset: logs.length > 0 ? String(from + logs.length) : null }
  },
  'no cursor at the end, whose page grows': (log, offset) => {
    const from = Number(offset ?? 0)
    return { logs: log.slice(from, from + SIZE), next_offset: from + SIZE < log.length ? String(from + SIZE) : null }
  },
  'the same cursor at the end': (log, offset) => {
    const from = Number(offset ?? 0)
    const logs = log.slice(from, from + SIZE)
    return { logs, next_offset: String(from + logs.length) }
  },
  'no ids, and no cursor at the end': (log, offset) => {
    const page = servers['no cursor at the end, whose page grows']?.(log, offset) as LogsPage
    return { ...page, logs: page.logs.map(({ message }) => ({ message })) }
  },
  'the line at the edge given twice': (log, offset) => {
    const from = Number(offset ?? 0)
    return {
      logs: log.slice(from, from + SIZE),
      next_offset: from + SIZE < log.length ? String(from + SIZE - 1) : null,
    }
  },
}

test.each(Object.entries(servers))('neither loses nor repeats lines with %s', (_name, server) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 20 }), (growth) => {
      const log: Log = []
      const tail = new LogTail()
      const got: (string | null | undefined)[] = []
      for (const more of [...growth, 0]) {
        for (let index = 0; index < more; index++) log.push({ id: log.length, message: `line ${log.length}` })
        for (let isAtEnd = false; !isAtEnd; ) {
          const taken = tail.take(server(log, tail.offset))
          got.push(...taken.lines.map(({ message }) => message))
          isAtEnd = taken.isAtEnd
        }
      }
      expect(got).toEqual(log.map(({ message }) => message))
    }),
    { numRuns: 150 },
  )
})

test('keeps two lines of one page that have the same id', () => {
  const tail = new LogTail()
  const page = {
    logs: [
      { id: 'x', message: 'a' },
      { id: 'x', message: 'b' },
    ],
    next_offset: null,
  }
  expect(tail.take(page).lines).toHaveLength(2)
  expect(tail.take(page).lines).toHaveLength(0)
})
