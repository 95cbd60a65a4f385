import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { differencesOf } from '@/lib/json/difference'
import { LargeDifferences } from './difference-source'
import { LargeJson } from './large-json'
import { jsonWorker, keepWorker, type WorkerLike } from './remote-document'
import { type FromWorker, WorkerProgram } from './worker-program'

// The worker's program in this process; messages are cloned as between threads.
const terminate = vi.fn()
let made: { release(): void }[] = []
beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', setTimeout)
  terminate.mockClear()
  jsonWorker.start = () => {
    const worker: WorkerLike = {
      onmessage: null,
      onerror: null,
      terminate,
      postMessage: (message, transfer) => {
        const copy = structuredClone(message, { transfer })
        setTimeout(() => program.take(copy))
      },
    }
    const tell = (data: FromWorker) => worker.onmessage?.({ data: structuredClone(data) } as MessageEvent<FromWorker>)
    const program = new WorkerProgram((message) => setTimeout(tell, 0, message))
    return worker
  }
})
afterEach(() => {
  for (const one of made) one.release()
  made = []
})

const soon = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 })

const messages = Array.from({ length: 30_000 }, (_, id) => ({ id, content: `word ${id} ${'lorem '.repeat(id % 9)}` }))
const state = { next: ['model'], values: { messages, note: 'short', big: 'x'.repeat(300_000) } }

function load(value: unknown, { from, under = 'values' }: { from?: LargeJson; under?: string } = {}): LargeJson {
  const large = new LargeJson({ under, from })
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  for (let at = 0; at < bytes.length; at += 65_536) large.add(bytes.slice(at, at + 65_536))
  large.end()
  made.push(large)
  return large
}

/** The visible lines, once the tree is in the expected state. */
async function linesOf({ source }: LargeJson, isThere: (state: ReturnType<typeof source.getState>) => boolean) {
  await soon(() => expect(isThere(source.getState())).toBe(true))
  const { rowCount } = source.getState()
  return Array.from({ length: Math.min(rowCount, 100) }, (_, at) => source.rowAt(at)).flatMap((row) =>
    row ? [`${row.key}: ${row.text}`] : [],
  )
}

test('fields before the tree are ready at once, then the first lines, then everything', async () => {
  const large = new LargeJson({ under: 'values' })
  made.push(large)
  const bytes = new TextEncoder().encode(JSON.stringify(state))
  large.add(bytes.slice(0, 500_000))
  expect(JSON.parse(await large.head)).toEqual({ next: ['model'] })
  const first = await linesOf(large, ({ rowCount }) => rowCount === 2)
  expect(first[1]).toMatch(/^messages: \[\{…\}, \{…\}/)
  expect(large.source.getState().progress).toBeDefined()
  large.add(bytes.slice(500_000))
  large.end()
  await large.whole
  const lines = await linesOf(large, ({ progress }) => progress === undefined)
  expect(lines.slice(2)).toEqual(['note: "short"', expect.stringMatching(/^big: "x{240}…$/)])
})

test('lines load as they are scrolled to, and open at once', async () => {
  const { source } = load(state)
  await linesOf({ source } as LargeJson, ({ progress, rowCount }) => !progress && rowCount > 1)
  source.toggle(1)
  await soon(() => expect(source.getState().rowCount).toBe(30_004))
  expect(source.rowAt(20_000)).toBeUndefined()
  source.show(20_000, 20_020)
  await soon(() => expect(source.rowAt(20_000)).toMatchObject({ key: 19_998, depth: 2, siblings: 30_000 }))
  source.select(20_000)
  await soon(() => expect(source.getState().detail.path).toBe('messages[19998]'))
  expect(JSON.parse(await source.valueText())).toEqual(messages[19_998])
  expect(await (await source.valueBlob()).text()).toBe(JSON.stringify(messages[19_998]))
  source.selectParent()
  await soon(() => expect(source.getState().selected).toBe(1))
})

test('search reports matches as they are found and opens the path to one', async () => {
  const { source } = load(state)
  source.search('WORD 2999')
  await soon(() => expect(source.getState().search).toEqual({ text: 'WORD 2999', found: 11, isDone: true }))
  source.goToHit(10)
  await soon(() => expect(source.getState().detail.path).toBe('messages[29999].content'))
  expect(await source.pathText()).toBe('messages[29999].content')
  source.search('')
  await soon(() => expect(source.getState().search).toBeUndefined())
})

test('the next state keeps the same nodes open', async () => {
  const before = load(state)
  await linesOf(before, ({ progress, rowCount }) => !progress && rowCount > 1)
  before.source.toggle(1)
  before.source.toggle(4)
  await soon(() => expect(before.source.getState().rowCount).toBe(30_006))
  const after = load({ values: { first: 1, messages: messages.slice(0, 10) } }, { from: before })
  await after.whole
  expect(await linesOf(after, ({ rowCount }) => rowCount === 15)).toContain('id: 2')
})

test('a preview has the newest items of a list and the small values of an object, and reports what it omits', async () => {
  const large = load(state)
  await large.whole
  const { text, count, of } = await large.newest('messages', 10_000)
  expect(of).toBe(30_000)
  expect(JSON.parse(text)).toEqual(messages.slice(-count))
  const members = await large.members(1_000)
  expect(members.map(({ key, text }) => [key, text])).toEqual([
    ['messages', undefined],
    ['note', '"short"'],
    ['big', undefined],
  ])
})

test('differences equal those of the parsed values, with each side as short text or as a tree', async () => {
  const changed = { ...state.values, messages: messages.toSpliced(5, 1), note: 'long' }
  const [old, now] = [load(state), load({ values: changed })]
  await Promise.all([old.whole, now.whole])
  const expected = differencesOf(state.values, changed).length
  const found = new LargeDifferences(old, now)
  made.push(found)
  await soon(() => expect(found.getState().count).toBe(expected))
  const lines = Array.from({ length: found.getState().count ?? 0 }, (_, at) => found.lineAt(at))
  const at = lines.findIndex((line) => line?.path === 'note')
  expect(lines[at]).toEqual({ kind: 'changed', path: 'note', text: '"short" → "long"' })
  expect(await found.side(at, 'old')).toEqual({ text: 'short' })
  const none = load({ values: [] })
  await none.whole
  const whole = new LargeDifferences(old, none)
  made.push(whole)
  await soon(() => expect(whole.getState().count).toBe(1))
  const side = await whole.side(0, 'old')
  await soon(() => expect(side?.source?.getState().rowCount).toBe(4))
  side?.release?.()
})

test('truncated text is shown as far as it arrived, and the worker ends with its last document', async () => {
  const large = new LargeJson({ under: 'values' })
  large.add(new TextEncoder().encode('{"next":[],"values":{"a":1,"b":[1,2'))
  large.end('The connection broke off.')
  expect(await linesOf(large, ({ problem }) => problem === 'The connection broke off.')).toContain('a: 1')
  expect(terminate).not.toHaveBeenCalled()
  large.release()
  expect(terminate).toHaveBeenCalledOnce()
})

test('a worker can be kept ready before and after a document', () => {
  const end = keepWorker()
  new LargeJson().release()
  expect(terminate).not.toHaveBeenCalled()
  end()
  expect(terminate).toHaveBeenCalledOnce()
})

test('if the worker cannot start, only the beginning is shown, with a notice', async () => {
  const start = jsonWorker.start
  let worker: WorkerLike | undefined
  jsonWorker.start = () => {
    worker = { onmessage: null, onerror: null, terminate, postMessage: () => {} }
    return worker
  }
  const large = new LargeJson({ under: 'values' })
  large.add(new TextEncoder().encode('{"next":["model"],"values":{"a":1,"b":[1,2'))
  expect(JSON.parse(await large.head)).toEqual({ next: ['model'] })
  expect(large.source.getState()).toMatchObject({ rowCount: 3, progress: {} })
  worker?.onerror?.({ message: 'No such worker.' } as ErrorEvent)
  expect(large.source.getState()).toMatchObject({ rowCount: 3, problem: 'No such worker.' })
  expect(large.source.getState().progress).toBeUndefined()
  large.release()
  jsonWorker.start = start
})
