import { describe, expect, test } from 'vitest'
import { answerTo, readAsk, resumeWith } from './answers'
import type { LogEntry } from './log'
import { applyEntry, createRunView } from './run-view'

describe('the choices of a question', () => {
  const reviewed = {
    action_requests: [
      { name: 'send', args: { to: 'a' }, description: 'Send it?' },
      { name: 'drop', args: {} },
    ],
    review_configs: [
      { action_name: 'drop', allowed_decisions: ['approve', 'reject'] },
      { action_name: 'send', allowed_decisions: ['reject', 'edit', 'approve', 'respond'] },
    ],
  }

  test('what the middleware repeats of a call is left out of its description', () => {
    const describedAs = (description: string, call: object = { args: { to: 'a' } }) => {
      const ask = readAsk({ action_requests: [{ name: 'send', description, ...call }] })
      return ask.kind === 'actions' ? ask.actions[0]?.description : undefined
    }
    const ours = 'Tool execution requires approval'
    expect(describedAs(`${ours}\n\nTool: send\nArgs: {\n  "to": "a"\n}`)).toBe(ours)
    expect(describedAs(`${ours}\n\nTool: other\nArgs: {}`)).toContain('Tool: other')
    expect(describedAs(`${ours}\n\nTool: send\nArgs: {}`, {})).toContain('Args')
  })

  test('tool calls to review: verbs by the name of each, one decision per call in order', () => {
    const ask = readAsk(reviewed)
    if (ask.kind !== 'actions') throw new Error(ask.kind)
    expect(ask.actions.map(({ verbs }) => verbs)).toEqual([
      ['approve', 'edit', 'respond', 'reject'],
      ['approve', 'reject'],
    ])
    expect(
      answerTo(ask, [
        { verb: 'edit', args: { to: 'b' } },
        { verb: 'reject', message: 'no' },
      ]),
    ).toEqual({
      decisions: [
        { type: 'edit', edited_action: { name: 'send', args: { to: 'b' } } },
        { type: 'reject', message: 'no' },
      ],
    })
  })

  test('the same in the other spellings', () => {
    const ask = readAsk({ actionRequests: [{ name: 'x', args: 1 }], reviewConfigs: [] })
    if (ask.kind !== 'actions') throw new Error(ask.kind)
    expect(answerTo(ask, [{ verb: 'edit', args: 2 }])).toEqual({
      decisions: [{ type: 'edit', editedAction: { name: 'x', args: 2 } }],
    })
    const older = readAsk({ action_requests: [{ name: 'x', arguments: { a: 1 } }] })
    expect(older).toMatchObject({ argsKey: 'arguments', actions: [{ args: { a: 1 } }] })
  })

  test('an inbox request: only what its configuration allows, answered as a list', () => {
    const ask = readAsk([
      {
        action_request: { action: 'mail', args: { body: 'x' } },
        config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: false },
        description: 'Please look',
      },
    ])
    if (ask.kind !== 'inbox') throw new Error(ask.kind)
    expect(ask.actions[0]).toMatchObject({ name: 'mail', verbs: ['approve', 'edit', 'respond'] })
    expect(answerTo(ask, [{ verb: 'approve' }])).toEqual([{ type: 'accept', args: null }])
    expect(answerTo(ask, [{ verb: 'edit', args: { body: 'y' } }])).toEqual([
      { type: 'edit', args: { action: 'mail', args: { body: 'y' } } },
    ])
    expect(answerTo(ask, [{ verb: 'respond', message: 'hm' }])).toEqual([{ type: 'response', args: 'hm' }])
  })

  test.each([
    ['options', { question: '?', options: ['a', 'b'] }, 'choice'],
    ['options that are no texts', { options: [{ a: 1 }] }, 'any'],
    ['a text', 'Shall I?', 'any'],
    ['nothing', null, 'any'],
    ['a list with something else in it', [{ action_request: {}, config: {} }, 1], 'any'],
    ['an empty list of actions', { action_requests: [] }, 'any'],
  ])('%s', (_name, value, kind) => expect(readAsk(value).kind).toBe(kind))
})

test('one open question is answered by value, several by their ids', () => {
  expect(resumeWith([{ id: 'a', answer: { x: 1 } }], 1)).toEqual({ x: 1 })
  expect(resumeWith([{ id: 'a', answer: true }], 2)).toEqual({ a: true })
})

test('questions of nested graphs are listed once, with the asking graph and exact numbers', () => {
  const view = createRunView()
  const inner = { id: 'q2', value: 'inner?' }
  const event = (seq: number, name: string, data: unknown): LogEntry => ({
    seq,
    at: seq,
    kind: 'event',
    event: name,
    data: JSON.stringify(data),
  })
  applyEntry(view, event(1, 'updates|sub:t1', { __interrupt__: [inner] }))
  applyEntry(view, event(2, 'updates', { __interrupt__: [inner, { id: 'q1', value: 1 }] }))
  expect([...view.interrupts.keys()]).toEqual(['q2', 'q1'])
  const state = {
    values: {},
    next: ['sub', 'ask'],
    interrupts: [inner],
    tasks: [
      {
        id: 't1',
        name: 'sub',
        interrupts: [inner],
        state: { tasks: [{ id: 't2', name: 'deep', interrupts: [{ id: 'q3', value: 0 }] }] },
      },
      { id: 't3', name: 'ask', interrupts: [{ id: 'q1', value: 'LONG' }] },
    ],
  }
  const text = JSON.stringify(state).replace('"LONG"', '12345678901234567890')
  applyEntry(view, { seq: 3, at: 3, kind: 'final', outcome: 'waiting', state: text })
  const found = [...view.interrupts.values()]
  expect(found.map(({ id, namespace }) => [id, namespace.map(({ node }) => node).join('/')]).sort()).toEqual([
    ['q1', ''],
    ['q2', 'sub'],
    ['q3', 'sub'],
  ])
  expect(String(view.interrupts.get('q1')?.value)).toBe('12345678901234567890')
  expect(view.interrupts.get('q2')?.seq).toBe(1)
  expect(view.next).toEqual(['sub', 'ask'])
})

test('an inbox request may come alone, and allows nothing that it does not say', () => {
  const one = { action_request: { action: 'mail', args: 1 }, config: { allow_ignore: true, allow_accept: 'yes' } }
  const ask = readAsk(one)
  expect(ask).toEqual({
    kind: 'inbox',
    isList: false,
    actions: [{ name: 'mail', args: 1, description: undefined, verbs: ['reject'] }],
  })
  if (ask.kind !== 'inbox') throw new Error(ask.kind)
  expect(answerTo(ask, [{ verb: 'reject', message: 'no' }, { verb: 'respond' }])).toEqual([
    { type: 'ignore', args: null },
    { type: 'response', args: '' },
  ])
  expect(readAsk([one, one])).toMatchObject({ kind: 'inbox', isList: true })
  for (const odd of [[], { action_request: {} }, { config: {} }, { action_request: 'x', config: {} }])
    expect(readAsk(odd).kind).toBe('any')
})

test('tool calls without a configuration may be approved, edited or rejected', () => {
  const verbs = (more: object) => {
    const ask = readAsk({ action_requests: [{ action: 'a' }, { name: 'b' }], ...more })
    return ask.kind === 'actions' ? ask.actions.map((one) => `${one.name} ${one.verbs}`) : []
  }
  const usual = ['a approve,edit,reject', 'b approve,edit,reject']
  expect(verbs({})).toEqual(usual)
  expect(verbs({ review_configs: 'x' })).toEqual(usual)
  expect(verbs({ review_configs: [{ action_name: 'a', allowed_decisions: ['never'] }] })).toEqual(usual)
  // By place where no name fits, and in the other spelling.
  expect(
    verbs({ reviewConfigs: [{ allowedDecisions: ['respond'] }, { actionName: 'a', allowedDecisions: ['edit'] }] }),
  ).toEqual(['a edit', 'b edit'])
})

test('a decision has a message only if there is one, or if it is an answer', () => {
  const ask = readAsk({ action_requests: [{ name: 'a' }] })
  if (ask.kind !== 'actions') throw new Error(ask.kind)
  const decided = (one: Parameters<typeof answerTo>[1][number]) =>
    (answerTo(ask, [one]) as { decisions: unknown[] }).decisions[0]
  expect(decided({ verb: 'approve', message: 'ignored' })).toEqual({ type: 'approve' })
  expect(decided({ verb: 'reject' })).toEqual({ type: 'reject' })
  expect(decided({ verb: 'reject', message: 'no' })).toEqual({ type: 'reject', message: 'no' })
  expect(decided({ verb: 'respond' })).toEqual({ type: 'respond', message: '' })
  expect(answerTo(ask, [{ verb: 'approve' }, { verb: 'edit', args: 1 }])).toEqual({
    decisions: [{ type: 'approve' }, { type: 'edit', edited_action: { name: '', args: 1 } }],
  })
})

test.each([
  [{ options: ['a', 'a', 'b'] }, { kind: 'choice', options: ['a', 'b'] }],
  [{ options: ['a', ''] }, { kind: 'any' }],
  [{ options: [] }, { kind: 'any' }],
  [{ options: 'a' }, { kind: 'any' }],
])('the options of %j are %j', (value, ask) => {
  expect(readAsk(value)).toEqual(ask)
})

test('answers to some of the open questions, or to several, are told apart by their ids', () => {
  const answers = [
    { id: 'a', answer: 1 },
    { id: 'b', answer: 2 },
  ]
  expect(resumeWith(answers, 1)).toEqual({ a: 1, b: 2 })
  expect(resumeWith(answers, 2)).toEqual({ a: 1, b: 2 })
})
