import { expect, test } from 'vitest'
import { patchOf } from '@/lib/contracts/agents/assistant-edit'
import { parseJson, printJson } from '@/lib/json/lossless'
import {
  EMPTY_DRAFT,
  keepDraft,
  mergedDraft,
  placeName,
  placeProblems,
  restoreDraft,
  threeWays,
  withKey,
} from './draft'

const of = (context: Record<string, unknown>, name = 'A') => ({ ...EMPTY_DRAFT, name, context })

test('a change by one side is kept; only what both changed needs a decision', () => {
  const rows = threeWays(
    of({ a: 1, b: 1, c: 1, d: 1 }),
    of({ a: 2, b: 1, c: 2, e: 5 }, 'B'),
    of({ a: 3, b: 9, c: 2, d: 1 }),
  )
  expect(rows.map(({ path, keeps }) => [path.join('.'), keeps])).toEqual([
    ['name', 'mine'],
    ['context.a', 'choose'],
    ['context.b', 'theirs'],
    ['context.c', 'same'],
    ['context.d', 'mine'],
    ['context.e', 'mine'],
  ])
  const theirs = of({ a: 3, b: 9, c: 2, d: 1 })
  expect(mergedDraft(rows, theirs, new Set())).toEqual(of({ a: 3, b: 9, c: 2, e: 5 }, 'B'))
  expect(mergedDraft(rows, theirs, new Set([placeName(['context', 'a'])])).context).toEqual({ a: 2, b: 9, c: 2, e: 5 })
})

test('an update sends the complete context, but only changed metadata', () => {
  const before = { ...of({ a: 1, b: 2 }), metadata: { team: 'x', kept: 1 }, config: { tags: ['t'] } }
  expect(patchOf(before, { ...before, name: 'B', metadata: { ...before.metadata, team: 'y' } })).toEqual({
    name: 'B',
    context: { a: 1, b: 2 },
    metadata: { team: 'y' },
  })
})

test('an error is shown at its field, the rest next to the button', () => {
  const error = {
    code: 'invalid',
    message: 'No.',
    requestId: '',
    fields: [{ path: ['context', 'tools', 1], message: 'x' }],
  } as const
  expect(
    placeProblems({ ...error, fields: [...error.fields].map((one) => ({ ...one, path: [...one.path] })) }),
  ).toEqual({
    problems: new Map([[placeName(['context', 'tools', '1']), 'x']]),
    rest: undefined,
  })
})

test('a stored draft keeps its base, unusual keys and exact digits', () => {
  const base = of({})
  const draft = of(parseJson('{"__proto__":1,"id":12345678901234567890}') as Record<string, unknown>)
  const kept = restoreDraft(keepDraft(base, draft))
  expect(printJson(kept)).toBe(printJson({ base, draft }))
  expect(keepDraft(base, of({}))).toBe('')
  expect(restoreDraft('{"base":7}')).toBeUndefined()
  expect(printJson(withKey(draft.context, 'a', 1))).toBe('{"__proto__":1,"id":12345678901234567890,"a":1}')
})
