import { beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '@/lib/errors'
import { encodeEntries } from '@/lib/stream/entry-text'
import { type Chunk, decodeChunk, joinChunks } from '../log/chunk'
import { markGaps } from '../log/gaps'
import { extraModes, withServersModes } from './asked-modes'
import {
  type Asked,
  asAppError,
  askRun,
  findRunByKey,
  idsOf,
  isOfLaterRun,
  isOver,
  openRun,
  type RunPlace,
  readState,
  starterOf,
} from './run-source'

test.each<[Asked, boolean]>([
  [{ kind: 'run', status: 'success', run: {} as never }, true],
  [{ kind: 'run', status: 'a newer word', run: {} as never }, true],
  [{ kind: 'run', status: 'pending', run: {} as never }, false],
  [{ kind: 'run', status: 'running', run: {} as never }, false],
  [{ kind: 'gone' }, false],
  [{ kind: 'unaskable' }, false],
  [{ kind: 'failed', error: new AppError('internal', 'x') }, false],
])('%j is over: %j', (asked, is) => {
  expect(isOver(asked)).toBe(is)
})

test.each([
  [{}, 'API'],
  [{ cron_id: 'c' }, 'Cron'],
  [{ cron_id: '' }, 'API'],
  [{ cron_id: 7 }, 'API'],
  [{ pilothouse_recording: 'r' }, 'Console'],
  [{ pilothouse_recording: 'r', cron_id: 'c' }, 'Cron'],
])('a run with the metadata %j was started by %s', (metadata, starter) => {
  expect(starterOf({ metadata })).toBe(starter)
})

test.each([
  [{ 'content-location': '/threads/t/runs/r' }, 't', 'r'],
  [{ location: 'https://a.example/threads/t%2F1/runs/r%201/stream?x=1' }, 't/1', 'r 1'],
  [{ location: '/threads/other', 'content-location': '/threads/t/runs/r?stream_mode=values' }, 't', 'r'],
  [{ 'content-location': '/runs/r' }, null, 'r'],
  [{ 'content-location': '/threads/t/runs/stream' }, 't', null],
  [{ 'content-location': '/threads/%zz/runs/r' }, null, 'r'],
  [{ 'content-location': '/elsewhere' }, null, null],
  [{}, null, null],
])('the headers %j name the thread %j and the run %j', (headers, thread, run) => {
  expect(idsOf(new Headers(headers as Record<string, string>))).toEqual({ thread, run })
})

test('a run without an id or thread is not asked for', async () => {
  const place: RunPlace = { workspace: 'w', deploymentId: 'd', thread: 't', run: null, isStateless: false }
  expect(await askRun(place)).toEqual({ kind: 'unaskable' })
  expect(await askRun({ ...place, thread: null, run: 'r' })).toEqual({ kind: 'unaskable' })
  expect(await readState({ ...place, thread: null })).toEqual({})
  expect(await findRunByKey({ ...place, thread: null }, 'key')).toBeUndefined()
  expect(() => openRun(place, {})).toThrow('The server never sent an id for the run.')
})

test.each<[string, string | null, string, string, boolean]>([
  ['its own', 'r', ':05', ':04', false],
  ['of the next run', 'next', ':05', ':04', true],
  ['of the run before, which asks as before', 'before', ':00', ':04', false],
  ['of nobody', null, ':05', ':04', false],
  ['of another run, on a server that does not update its records', 'next', ':05', ':01', false],
  ['without a time', 'next', '', ':04', false],
])('a state that is %s tells about a run', (_, writer, written, ended, isOfLater) => {
  const at = (second: string) => (second ? `2026-11-26T09:00${second}Z` : null)
  const run = { run_id: 'r', created_at: at(':01'), updated_at: at(ended) }
  expect(isOfLaterRun({ metadata: { run_id: writer }, created_at: at(written) }, run)).toBe(isOfLater)
})

test('an unexpected error becomes one that may be shown', () => {
  const known = new AppError('invalid', 'No.')
  expect(asAppError(known)).toBe(known)
  const cause = new Error('secret detail')
  expect(asAppError(cause)).toMatchObject({ code: 'internal', message: 'Something went wrong in the console.', cause })
})

describe('the modes of a stream', () => {
  const broken = { version: '2.0.0', context: 'js', flags: {}, metadata: {} }
  test.each([
    [{ stream_mode: 'values', stream_subgraphs: true }, ['checkpoints']],
    [{ stream_mode: ['updates', 'values'], stream_subgraphs: true }, ['checkpoints']],
    [{ stream_mode: ['values', 'checkpoints'], stream_subgraphs: true }, []],
    [{ stream_mode: 'values', stream_subgraphs: false }, []],
    [{ stream_mode: 'values' }, []],
    [{ stream_mode: 'updates', stream_subgraphs: true }, []],
    [{ stream_mode: null, stream_subgraphs: true }, []],
    [{ stream_subgraphs: true }, []],
  ] as const)('%j needs also %j on a server with the defect', (asked, extra) => {
    expect(extraModes(asked as never, broken as never)).toEqual(extra)
    expect(extraModes(asked as never, { ...broken, version: '1.5.0' } as never)).toEqual([])
  })

  const place = { workspace: 'w', deploymentId: 'd' }
  beforeEach(() => {
    ;(globalThis as { pilothouseFeatures?: unknown }).pilothouseFeatures = undefined
  })
  const opening = (error?: Error) => {
    const opened: string[][] = []
    const open = async (modes: string[]) => {
      opened.push(modes)
      if (error && modes.includes('tasks')) throw error
      return modes.join()
    }
    return { opened, open }
  }
  test('leave out tasks for a server that refuses them, and remember it', async () => {
    const { opened, open } = opening(new AppError('invalid', "stream_mode: Input should be 'values'"))
    expect(await withServersModes(place, ['values', 'tasks'], open)).toBe('values')
    expect(await withServersModes(place, ['values', 'tasks'], open)).toBe('values')
    expect(opened).toEqual([['values', 'tasks'], ['values'], ['values']])
    expect(await withServersModes({ ...place, deploymentId: 'e' }, ['values'], open)).toBe('values')
  })
  test.each([
    new AppError('invalid', 'assistant_id: Field required'),
    new AppError('conflict', 'tasks'),
    new Error('tasks'),
  ])('are not reduced for another failure: %s', async (error) => {
    const { opened, open } = opening(error)
    await expect(withServersModes(place, ['values', 'tasks'], open)).rejects.toBe(error)
    expect(opened).toHaveLength(1)
  })
  test('are sent as they are if nothing else is left, or the server has them', async () => {
    const alone = opening(new AppError('invalid', 'tasks'))
    await expect(withServersModes(place, ['tasks'], alone.open)).rejects.toThrow('tasks')
    const modern = opening()
    expect(await withServersModes(place, ['values', 'tasks'], modern.open)).toBe('values,tasks')
  })
})

describe('lost entries', () => {
  const chunk = (first: number, last: number, at = 100): Chunk => ({
    first,
    last,
    bytes: Buffer.from(
      encodeEntries(
        first,
        Array.from({ length: last - first + 1 }, (_, index) => ({
          ...{ at: at + index, kind: 'event' as const, event: 'custom', data: String(first + index) },
        })),
      ),
    ),
  })
  const told = (chunks: Chunk[]) =>
    chunks.flatMap(decodeChunk).map((one) => [one.seq, one.kind, one.at, 'reason' in one ? one.reason : undefined])
  const event = (seq: number, at: number) => [seq, 'event', at, undefined]
  const gap = (seq: number, at: number) => [seq, 'gap', at, 'The database has lost this part of the recording.']

  test('are marked one by one, at the time of the entry before them', () => {
    expect(told(markGaps([chunk(3, 4), chunk(7, 7, 500)], 2, undefined))).toEqual([
      ...[event(3, 100), event(4, 101), gap(5, 101), gap(6, 101), event(7, 500)],
    ])
    expect(told(markGaps([chunk(3, 3)], 0, undefined))).toEqual([gap(1, 100), gap(2, 100), event(3, 100)])
    const whole = [chunk(1, 2), chunk(3, 4)]
    expect(markGaps(whole, 0, undefined)).toEqual(whole)
    expect(markGaps([], 5, undefined)).toEqual([])
  })

  test('at the end of a finished recording are followed by the outcome that is known', () => {
    const end = { last: 6, outcome: 'success' as const, at: 900 }
    const final = [
      6,
      'final',
      900,
      'The database has lost the end of the recording; only the outcome of the run is known.',
    ]
    expect(told(markGaps([chunk(1, 3)], 0, end))).toEqual([
      ...[event(1, 100), event(2, 101), event(3, 102), gap(4, 102), gap(5, 102), final],
    ])
    expect(told(markGaps([chunk(1, 5)], 4, end)).slice(5)).toEqual([final])
    expect(markGaps([chunk(1, 5)], 4, end)).toHaveLength(2)
    expect(told(markGaps([], 3, end))).toEqual([gap(4, 900), gap(5, 900), final])
    expect(told(markGaps([], 6, end))).toEqual([])
    expect(markGaps([chunk(5, 6)], 4, end)).toHaveLength(1)
  })

  test('are chunks with the numbers of what they stand for', () => {
    const end = { last: 9, outcome: 'success' as const, at: 900 }
    expect(markGaps([chunk(3, 4)], 0, end).map(({ first, last }) => [first, last])).toEqual([
      ...[
        [1, 2],
        [3, 4],
        [5, 8],
        [9, 9],
      ],
    ])
  })

  test('chunks are joined in order, and one alone is itself', () => {
    const [one, two] = [chunk(1, 2), chunk(3, 3)]
    expect(joinChunks([one])).toBe(one)
    const joined = joinChunks([one, two])
    expect([joined.first, joined.last, decodeChunk(joined).map(({ seq }) => seq)]).toEqual([1, 3, [1, 2, 3]])
    expect(() => joinChunks([])).toThrow('There is no chunk to join.')
  })
})
