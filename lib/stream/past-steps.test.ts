import { expect, test } from 'vitest'
import type { RecordingOutcome } from './log'
import { type PastCheckpoint, pastSteps, readPast } from './past-steps'
import { applyEntry, createRunView } from './run-view'

type Given = Partial<PastCheckpoint> & { id: string }
/** One checkpoint a second, oldest first, each of the run and after the one before it unless told otherwise. */
const history = (...given: Given[]): PastCheckpoint[] =>
  given
    .map((one, index) => ({
      ...{ parent: given[index - 1]?.id ?? null, isOwn: true, source: index === 0 ? 'input' : 'loop' },
      ...{ step: index - 1, at: 1_000 * (index + 1), tasks: [] },
      ...one,
    }))
    .reverse()
const task = (name: string, more: object = {}) => ({ id: `${name}-task`, name, ...more })
const read = (checkpoints: readonly PastCheckpoint[], outcome: RecordingOutcome = 'success') => {
  const { steps, isWhole } = pastSteps(checkpoints, { outcome, startedAt: 500, endedAt: 9_000 })
  const lines = steps.map(({ node, startedAt, endedAt, status }) => `${node} ${startedAt}–${endedAt} ${status}`)
  return isWhole ? lines : [...lines, 'and maybe others']
}
const start = { id: 'i', tasks: [task('__start__')] }

test('a step is from the checkpoint before it to the one after it', () => {
  const whole = history(
    start,
    { id: 'a', tasks: [task('plan')] },
    { id: 'b', tasks: [task('x'), task('y')] },
    { id: 'c' },
  )
  expect(read(whole)).toEqual(['plan 2000–3000 done', 'x 3000–4000 done', 'y 3000–4000 done'])
})

test('what a failed step left: the task that failed, what had ended, and what was stopped', () => {
  const left = [task('pay', { ended: 'error', error: 'declined' }), task('log', { ended: 'done' }), task('wait')]
  const failed = history(start, { id: 'a', tasks: left })
  expect(read(failed, 'error')).toEqual(['pay 2000–9000 error', 'log 2000–9000 done', 'wait 2000–9000 interrupted'])
  // Another run failed there later, or a limit stopped this one before the nodes began.
  expect(read(failed, 'interrupted')).toEqual(['and maybe others'])
  expect(read(history(start, { id: 'a', tasks: [task('pay')] }), 'error')).toEqual(['and maybe others'])
})

test('a run that went on begins with the one task that another run left; of several, it is unknown which had ended', () => {
  const left = (...tasks: object[]) =>
    history({ id: 'p', isOwn: false, source: 'loop', tasks: tasks as PastCheckpoint['tasks'] }, { id: 'a' })
  expect(read(left(task('ask')))).toEqual(['ask 1000–2000 done'])
  expect(read(left(task('ask'), task('other')))).toEqual(['and maybe others'])
})

test('where checkpoints are gone or were never written, nothing is made up', () => {
  const end = { id: 'c', step: 4 }
  expect(read(history({ ...end, source: 'loop', parent: 'gone' }))).toEqual(['and maybe others'])
  expect(read(history(start, { ...end }))).toEqual(['and maybe others'])
  expect(read(history({ ...end, isOwn: false }))).toEqual(['and maybe others'])
  expect(read([])).toEqual(['and maybe others'])
})

test('other branches of the thread, and writes of people, are no steps', () => {
  const branch = history(
    { id: 'p', isOwn: false, source: 'loop', step: 3 },
    { id: 'other', isOwn: false, parent: 'p', step: 4, tasks: [task('elsewhere')] },
    { id: 'i', parent: 'p', source: 'input', step: 4, tasks: [task('__start__')] },
    { id: 'a', step: 5, tasks: [task('plan')] },
    { id: 'b', step: 6 },
    // The runtime copies the id of the run.
    { id: 'u', source: 'update', step: 7, tasks: [task('next')] },
  )
  expect(read(branch)).toEqual(['plan 4000–5000 done'])
})

test('a run whose stream told steps keeps those', () => {
  const view = createRunView()
  const tasks = JSON.stringify({ id: 't', name: 'seen', input: {}, triggers: [] })
  const text = JSON.stringify(history(start, { id: 'a', tasks: [task('plan')] }, { id: 'b' }))
  applyEntry(view, { seq: 1, at: 1, kind: 'event', event: 'tasks', data: tasks })
  applyEntry(view, { seq: 2, at: 2, kind: 'final', outcome: 'success', history: text })
  expect([...view.steps.tracks.keys()]).toEqual(['seen'])
  expect(view.steps.past).toBeUndefined()
})

test('a file with another kind of history is read without it', () => {
  for (const text of ['', 'null', '{}', '[1,{"id":"a"},{"id":"a","tasks":[null]}]'])
    expect(readPast(text) ?? []).toEqual([])
})
