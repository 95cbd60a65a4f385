import fc from 'fast-check'
import { LosslessNumber, parse } from 'lossless-json'
import { expect, test } from 'vitest'
import { searchJson } from './json-search'
import { JsonTree } from './json-tree-model'
import { isContainer, type JsonPath, jsonText, pathText, previewText, scalarText, valueAt } from './json-value'

const lines = (tree: JsonTree) =>
  Array.from({ length: tree.rowCount }, (_, index) => pathText(tree.rowAt(index)?.path ?? []))

/** What stands on each line by the plain definition: every open container followed by its entries. */
function flatten(tree: JsonTree, value: unknown, path: JsonPath = []): string[] {
  const below =
    isContainer(value) && tree.isOpen(path)
      ? Object.keys(value).map((key) => (Array.isArray(value) ? Number(key) : key))
      : []
  return [pathText(path), ...below.flatMap((key) => flatten(tree, valueAt(value, [key]), [...path, key]))]
}

const state = {
  messages: [
    { id: 'a', content: 'hi' },
    { id: 'b', content: ['x', 'y'] },
  ],
  'odd key': 1,
  done: true,
}

test('shows only what is open, in document order', () => {
  const tree = new JsonTree(state)
  expect(lines(tree)).toEqual(['$', 'messages', '["odd key"]', 'done'])
  tree.open(['messages', 1, 'content'])
  expect(lines(tree)).toEqual([
    '$',
    'messages',
    'messages[0]',
    'messages[1]',
    'messages[1].id',
    'messages[1].content',
    'messages[1].content[0]',
    'messages[1].content[1]',
    '["odd key"]',
    'done',
  ])
  expect(tree.rowAt(6)).toMatchObject({ key: 0, value: 'x', depth: 4, position: 1, siblings: 2 })
  tree.close(['messages'])
  expect(lines(tree)).toEqual(['$', 'messages', '["odd key"]', 'done'])
})

test('any sequence of opening and closing shows the lines of the plain definition, and finds each again', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.array(fc.nat(), { maxLength: 30 }), (value, steps) => {
      const tree = new JsonTree(value)
      for (const step of steps) tree.toggle(tree.rowAt(step % tree.rowCount)?.path ?? [])
      expect(lines(tree)).toEqual(flatten(tree, value))
      for (let index = 0; index < tree.rowCount; index++)
        expect(tree.indexOf(tree.rowAt(index)?.path ?? [])).toBe(index)
    }),
  )
})

test('a new value keeps the same paths open as far as they exist', () => {
  const tree = new JsonTree(state)
  tree.open(['messages', 1, 'content'])
  const next = { step: 2, messages: [{ id: 'a' }, { content: ['z'] }, { id: 'c' }] }
  const moved = tree.over(next)
  expect(lines(moved)).toEqual(flatten(moved, next))
  expect(moved.isOpen(['messages', 1, 'content'])).toBe(true)
  expect(moved.isOpen(['messages', 2])).toBe(false)
})

test('opening a million entries reads the few that are asked for', () => {
  let reads = 0
  const big = new Proxy(
    Array.from({ length: 1_000_000 }, (_, index) => ({ index })),
    {
      get: (target, key, receiver) => {
        reads += 1
        return Reflect.get(target, key, receiver)
      },
    },
  )
  const tree = new JsonTree({ before: 1, big, after: 2 })
  tree.open(['big'])
  tree.open(['big', 777_777])
  expect(tree.rowCount).toBe(1_000_005)
  expect(tree.rowAt(777_781)).toMatchObject({ key: 'index', value: 777_777 })
  expect(tree.rowAt(1_000_004)).toMatchObject({ key: 'after', value: 2 })
  expect(reads).toBeLessThan(100)
})

test('the first levels open up to a screenful and no further', () => {
  expect(lines(JsonTree.withFirstLevelsOpen(state))).toContain('messages[1].content[1]')
  expect(JsonTree.withFirstLevelsOpen({ big: Array.from({ length: 500 }, () => 1), small: [1] }).rowCount).toBe(3)
})

test('numbers stay what they were, in rows and in what is copied', () => {
  const value = parse('{"id":12345678901234567890,"pi":3.10,"big":1e400}')
  const row = new JsonTree(value).rowAt(1)
  expect(row?.value).toBeInstanceOf(LosslessNumber)
  expect(scalarText(row?.value)).toBe('12345678901234567890')
  expect(jsonText(value)).toContain('12345678901234567890')
  expect(previewText(value as object)).toContain('12345678901234567890')
})

test('search finds keys and values without regard to case, in order, and can be cut into slices', () => {
  const search = searchJson(state, 'CONTENT')
  while (!search.isDone) search.advance(0)
  expect(search.hits.map(pathText)).toEqual(['messages[0].content', 'messages[1].content'])
  const values = searchJson(state, 'y')
  values.advance(100)
  expect(values.hits.map(pathText)).toEqual(['messages[1].content[1]', '["odd key"]'])
})

test('search goes through 100,000 levels without overflowing the stack', () => {
  let deep: unknown = { needle: 1 }
  for (let level = 0; level < 100_000; level++) deep = [deep]
  const search = searchJson(deep, 'needle')
  while (!search.isDone) search.advance(1_000)
  expect(search.hits[0]).toHaveLength(100_001)
})
