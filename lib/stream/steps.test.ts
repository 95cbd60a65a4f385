import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEntry, createRunView, type RunView } from './run-view'
import { isEstimated, shownTime } from './steps'

type Event = { event: string; data: unknown }

/** Plays events 10 ms apart, then the final entry. */
function play(events: readonly Event[], final: { outcome?: string; state?: unknown } = {}): RunView {
  const view = createRunView()
  for (const [index, { event, data }] of events.entries())
    applyEntry(view, { seq: index + 1, at: index * 10, kind: 'event', event, data: JSON.stringify(data) })
  const { outcome = 'success', state = {} } = final
  const end = { outcome: outcome as 'success', state: JSON.stringify(state) }
  applyEntry(view, { seq: events.length + 1, at: events.length * 10, kind: 'final', ...end })
  return view
}
const stepsOf = (view: RunView) => [...view.steps.tracks.values()].flatMap(({ steps }) => steps)
const timesOf = (view: RunView) =>
  [...view.steps.tracks.values()].map(({ node, steps }) => [
    node,
    ...steps.map(
      ({ startedAt, endedAt, status, isInferred }) => `${isInferred ? '≈' : ''}${startedAt}–${endedAt} ${status}`,
    ),
  ])

const metadata = (attempt = 1): Event => ({ event: 'metadata', data: { run_id: 'r', attempt } })
const meta = (node: string, task: string, ns = '') => ({
  langgraph_node: node,
  langgraph_checkpoint_ns: `${ns ? `${ns}|` : ''}${node}:${task}`,
})
const token = (node: string, task: string, id: string): Event => ({
  event: 'messages',
  data: [{ type: 'AIMessageChunk', id, content: 'x' }, meta(node, task)],
})
const whole = (node: string, task: string, id: string): Event => ({
  event: 'messages',
  data: [{ type: 'tool', id, content: 'x', tool_call_id: id }, meta(node, task)],
})
const updates = (node: string): Event => ({ event: 'updates', data: { [node]: {} } })
const began = (node: string, id: string): Event => ({
  event: 'tasks',
  data: { id, name: node, input: {}, triggers: [] },
})
const ended = (node: string, id: string, more: object = {}): Event => ({
  event: 'tasks',
  data: { id, name: node, result: {}, interrupts: [], ...more },
})

test('whole messages that arrive after their node has ended open no step', () => {
  const view = play([
    metadata(),
    token('agent', 't1', 'm1'),
    updates('agent'),
    updates('tools'),
    whole('tools', 't2', 'm2'),
    whole('tools', 't2', 'm3'),
    token('agent', 't3', 'm4'),
    updates('agent'),
  ])
  expect(timesOf(view)).toEqual([
    ['agent', '≈10–20 done', '≈60–70 done'],
    ['tools', '≈20–30 done'],
  ])
})

test('an inferred start is never drawn: a bar begins at the first event of its step', () => {
  const view = play([metadata(), token('agent', 't1', 'm1'), updates('agent'), updates('tools')])
  expect(stepsOf(view).map(shownTime)).toEqual([
    { from: 10, to: 20 },
    { from: 30, to: 30 },
  ])
  // Without an event of its end, only the first token is known.
  expect(stepsOf(play([metadata(), token('agent', 't1', 'm1'), metadata()])).map(shownTime)).toEqual([
    { from: 10, to: 10 },
  ])
})

test('a task whose start and end arrive together has no measured time', () => {
  const view = createRunView()
  for (const [index, [at, { event, data }]] of (
    [
      [10, began('agent', 't1')],
      [40, ended('agent', 't1')],
      [40, began('tools', 't2')],
      [40, ended('tools', 't2')],
    ] as const
  ).entries())
    applyEntry(view, { seq: index + 1, at, kind: 'event', event, data: JSON.stringify(data) })
  expect(stepsOf(view).map(isEstimated)).toEqual([false, true])
})

test('tasks measure their steps, whatever came before them', () => {
  const view = play([
    metadata(),
    updates('fan'),
    updates('fan'),
    ended('fan', 't2', { error: 'no' }),
    ended('fan', 't1'),
    began('join', 't3'),
    token('join', 't3', 'm1'),
    updates('join'),
    ended('join', 't3'),
    whole('join', 't3', 'm2'),
  ])
  expect(timesOf(view)).toEqual([
    ['fan', '≈0–40 done', '≈10–30 error'],
    ['join', '50–80 done'],
  ])
})

test('a retried run runs the same tasks again; after the error of one, the others were stopped', () => {
  const view = play(
    [
      metadata(),
      began('a', 't1'),
      metadata(2),
      began('a', 't1'),
      began('b', 't2'),
      ended('a', 't1', { error: 'no' }),
      { event: 'error', data: { error: 'Error', message: 'no' } },
    ],
    { outcome: 'error', state: { next: ['a', 'b'], tasks: [{ name: 'a', error: 'no' }] } },
  )
  expect(timesOf(view)).toEqual([
    ['a', '10–20 interrupted', '30–50 error'],
    ['b', '40–60 interrupted'],
  ])
})

test('a failed task that its server reports without its error has failed, with what failed inside it', () => {
  const inner = (data: object): Event => ({ event: 'tasks|sub:t2', data: { name: 'pay', id: 't3', ...data } })
  const failed = { result: {}, interrupts: [] }
  const events = [
    metadata(),
    began('check', 't1'),
    ended('check', 't1', { result: {} }),
    began('sub', 't2'),
    inner({ input: {}, triggers: [] }),
    inner(failed),
    ended('sub', 't2', failed),
    { event: 'error', data: { error: 'Error', message: 'no' } },
  ]
  expect(timesOf(play(events, { outcome: 'error' }))).toEqual([
    ['check', '10–20 done'],
    ['sub', '30–60 error'],
    ['pay', '40–50 error'],
  ])
  // The final state names the task by its id, also if another one ended last.
  const fan = [
    began('a', 't1'),
    began('b', 't2'),
    ended('a', 't1'),
    ended('b', 't2'),
    { event: 'error', data: { error: 'Error', message: 'no' } },
  ]
  expect(timesOf(play(fan, { outcome: 'error', state: { tasks: [{ id: 't1', name: 'a', error: 'no' }] } }))).toEqual([
    ['a', '0–20 error'],
    ['b', '10–30 done'],
  ])
  const late = play([metadata()], { outcome: 'error', state: { tasks: [{ name: 'a', error: 'no' }] } })
  expect(late.error?.message).toBe('no')
})

test('a node that is only next has no step; one that asked or failed has', () => {
  const asked = { name: 'ask', interrupts: [{ id: 'i', value: 1 }] }
  const stopped = (outcome: string, tasks: unknown[]) =>
    timesOf(play([metadata(), updates('plan')], { outcome, state: { next: ['ask', 'later'], tasks } })).slice(1)
  expect(stopped('interrupted', [{ name: 'ask', interrupts: [] }])).toEqual([])
  expect(stopped('waiting', [asked, { name: 'later' }])).toEqual([['ask', '≈10–20 interrupted']])
  expect(stopped('cancelled', [asked])).toEqual([])
  expect(stopped('error', [{ name: 'ask', error: { message: 'no' } }])).toEqual([['ask', '≈10–20 error']])
})

test('a subgraph’s steps end with the task that ran it', () => {
  const inner = {
    event: 'messages',
    data: [{ type: 'AIMessageChunk', id: 'm', content: 'x' }, meta('write', 't2', 'sub:t1')],
  }
  expect(timesOf(play([metadata(), began('sub', 't1'), inner, ended('sub', 't1'), began('next', 't3')]))).toEqual([
    ['sub', '10–30 done'],
    ['write', '≈20–30 done'],
    ['next', '40–50 done'],
  ])
})

// Any stream that a server may send: supersteps of parallel tasks, some with a subgraph, some retried, one may ask or fail at
// the end. The events of a task keep their order; those of parallel tasks mix, and whole messages come at any later time.

const NODES = ['a', 'b', 'c']
type Work = { node: string; tokens: number; wholes: number; inner: Work[] }
const work = (depth: number): fc.Arbitrary<Work> =>
  fc.record({
    node: fc.constantFrom(...NODES),
    tokens: fc.nat(2),
    wholes: fc.nat(2),
    inner: depth > 0 ? fc.array(work(depth - 1), { maxLength: 2 }) : fc.constant([]),
  })
const run = fc.record({
  supersteps: fc.array(fc.array(work(1), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  modes: fc.subarray(['updates', 'messages', 'tasks'], { minLength: 1 }),
  isResultFirst: fc.boolean(),
  hasIds: fc.boolean(),
  /** How the last superstep ends. */
  end: fc.constantFrom('success', 'waiting', 'error', 'cancelled'),
  /** Superstep before which the run is retried. */
  retryAt: fc.option(fc.nat(3), { nil: undefined }),
  /** Events that a late reader missed. */
  missed: fc.oneof(fc.constant(0), fc.nat(20)),
  seed: fc.infiniteStream(fc.nat(1_000_000)),
})

test('no order of updates, messages and tasks invents a step or leaves one open', () => {
  fc.assert(
    fc.property(run, ({ supersteps, modes, isResultFirst, hasIds, end, retryAt, missed, seed }) => {
      const random = (below: number) => (seed.next().value ?? 0) % below
      const events: (Event & { mode?: string })[] = [metadata()]
      const executions = new Map<string, number>()
      const late: Event[] = []
      let ids = 0
      let said = 0

      /** The events of one task in order, and how many there are. */
      const perform = (one: Work, path: string, how: string): Event[] => {
        const { node, tokens, wholes, inner } = one
        // Task ids are the same in each attempt.
        const task = `t${ids++}`
        const key = [...path.split('|').flatMap((part) => (part ? [part.split(':')[0]] : [])), node].join('/')
        executions.set(key, (executions.get(key) ?? 0) + 1)
        const named = (event: string) => (path ? `${event}|${path}` : event)
        const messages = (list: number, type: string) =>
          Array.from({ length: list }, () => ({
            event: named('messages'),
            data: [
              { type, id: `m${said++}`, content: 'x' },
              hasIds ? meta(node, task, path) : { langgraph_node: node },
            ],
          }))
        const below = `${path ? `${path}|` : ''}${node}:${task}`
        const middle = mix([
          messages(tokens, 'AIMessageChunk'),
          ...inner.map((each) => perform(each, below, 'success')),
        ])
        late.push(...messages(wholes, 'ai'))
        const start = { event: named('tasks'), data: { id: task, name: node, input: {}, triggers: [] } }
        const failed = how === 'error' && { error: 'no' }
        const asks = how === 'waiting' && { interrupts: [{ id: `i${ids++}`, value: 1 }] }
        const result = {
          event: named('tasks'),
          data: { id: task, name: node, result: {}, interrupts: [], ...failed, ...asks },
        }
        const update = failed || asks ? [] : [{ event: named('updates'), data: { [node]: {} } }]
        const closing = how === 'cancelled' ? [] : isResultFirst ? [result, ...update] : [...update, result]
        return [start, ...middle, ...closing]
      }
      const mix = (lists: Event[][]): Event[] => {
        const left = lists.filter((list) => list.length > 0).map((list) => [...list])
        const mixed: Event[] = []
        while (left.length > 0) {
          const at = random(left.length)
          const next = left[at]?.shift()
          if (next) mixed.push(next)
          if (left[at]?.length === 0) left.splice(at, 1)
          // Whole messages of tasks that began before.
          if (late.length > 0 && random(3) === 0) mixed.push(...late.splice(random(late.length), 1))
        }
        return mixed
      }

      for (const [index, tasks] of supersteps.entries()) {
        if (index === retryAt) {
          events.push(metadata(2))
          ids = 0
        }
        const isLast = index === supersteps.length - 1
        events.push(...mix(tasks.map((one, at) => perform(one, '', isLast && at === 0 ? end : 'success'))))
      }
      events.push(...late)
      const wanted = events.filter(({ event }) => {
        const mode = event.split('|')[0] ?? ''
        return mode === 'metadata' || modes.includes(mode)
      })
      const view = play(wanted.slice(missed), { outcome: end })

      for (const { namespace, node, steps, running } of view.steps.tracks.values()) {
        const key = [...namespace.map((segment) => segment.node), node].join('/')
        expect(steps.length).toBeLessThanOrEqual(executions.get(key) ?? 0)
        expect(running).toEqual([])
        for (const step of steps) {
          expect(step.status).not.toBe('running')
          expect(step.endedAt).toBeGreaterThanOrEqual(step.startedAt)
          const { from, to } = shownTime(step)
          expect(to).toBeGreaterThanOrEqual(from)
        }
      }
      if (!modes.includes('tasks') || missed > 0) return
      const total = [...executions.values()].reduce((sum, times) => sum + times, 0)
      expect(stepsOf(view)).toHaveLength(total)
      expect(stepsOf(view).every(({ isInferred }) => !isInferred)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
