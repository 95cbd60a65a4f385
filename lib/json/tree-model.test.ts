import fc from 'fast-check'
import { LosslessNumber, parse } from 'lossless-json'
import { expect, test } from 'vitest'
import type { JsonPath } from '@/lib/json/difference'
import { FIRST_ROWS, TreeModel, type TreePosition } from './tree-model'
import { isContainer, jsonText, pathText, previewText, scalarText } from './value'
import { searchJson } from './value-search'
import { valueNodes } from './value-source'

type Tree = TreeModel<unknown>
const over = (value: unknown): Tree => new TreeModel(valueNodes, value)
const pathAt = (tree: Tree, index: number): JsonPath => tree.pathOf(tree.rowAt(index)?.place ?? [])
const lines = (tree: Tree) => Array.from({ length: tree.rowCount }, (_, index) => pathText(pathAt(tree, index)))
const open = (tree: Tree, path: JsonPath) => tree.open(tree.placeOf(path) ?? [])
const isOpen = (tree: Tree, path: JsonPath) => tree.isOpen(tree.placeOf(path) ?? [])

/** The lines by definition: every expanded container followed by its entries. */
function flatten(tree: Tree, value: unknown, path: JsonPath = []): string[] {
  const below =
    isContainer(value) && isOpen(tree, path)
      ? Object.entries(value).map(([key, item]) => [Array.isArray(value) ? Number(key) : key, item] as const)
      : []
  return [pathText(path), ...below.flatMap(([key, item]) => flatten(tree, item, [...path, key]))]
}

const state = {
  messages: [
    { id: 'a', content: 'hi' },
    { id: 'b', content: ['x', 'y'] },
  ],
  'odd key': 1,
  done: true,
}

test('shows only open nodes, in document order', () => {
  const tree = over(state)
  expect(lines(tree)).toEqual(['$', 'messages', '["odd key"]', 'done'])
  open(tree, ['messages', 1, 'content'])
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
  tree.close([0])
  expect(lines(tree)).toEqual(['$', 'messages', '["odd key"]', 'done'])
})

test('any sequence of opening and closing matches the plain definition, and every line is found again', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.array(fc.nat(), { maxLength: 30 }), (value, steps) => {
      const tree = over(value)
      for (const step of steps) tree.toggle(tree.rowAt(step % tree.rowCount)?.place ?? [])
      expect(lines(tree)).toEqual(flatten(tree, value))
      for (let index = 0; index < tree.rowCount; index++)
        expect(tree.indexOf(tree.rowAt(index)?.place ?? [])).toBe(index)
    }),
  )
})

test('a new value keeps the same paths open as far as they exist', () => {
  const tree = over(state)
  open(tree, ['messages', 1, 'content'])
  const next = { step: 2, messages: [{ id: 'a' }, { content: ['z'] }, { id: 'c' }] }
  const moved = tree.over(valueNodes, next)
  expect(lines(moved)).toEqual(flatten(moved, next))
  expect(isOpen(moved, ['messages', 1, 'content'])).toBe(true)
  expect(isOpen(moved, ['messages', 2])).toBe(false)
})

test('opening a million entries reads only the requested ones', () => {
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
  const tree = over({ before: 1, big, after: 2 })
  open(tree, ['big'])
  open(tree, ['big', 777_777])
  expect(tree.rowCount).toBe(1_000_005)
  expect(tree.rowAt(777_781)).toMatchObject({ key: 'index', value: 777_777 })
  expect(tree.rowAt(1_000_004)).toMatchObject({ key: 'after', value: 2 })
  expect(reads).toBeLessThan(100)
})

test('the first levels open up to one screenful', () => {
  const [few, many] = [over(state), over({ big: Array.from({ length: 500 }, () => 1), small: [1] })]
  for (const tree of [few, many]) tree.openBelow([], FIRST_ROWS)
  expect(lines(few)).toContain('messages[1].content[1]')
  expect(many.rowCount).toBe(3)
})

test('numbers are exact in rows and in copies', () => {
  const value = parse('{"id":12345678901234567890,"pi":3.10,"big":1e400}')
  const row = over(value).rowAt(1)
  expect(row?.value).toBeInstanceOf(LosslessNumber)
  expect(scalarText(row?.value)).toBe('12345678901234567890')
  expect(jsonText(value)).toContain('12345678901234567890')
  expect(previewText(value as object)).toContain('12345678901234567890')
})

test('search finds keys and values in any case, in order, and can run in slices', () => {
  const textOf = (place: TreePosition) => pathText(over(state).pathOf(place))
  const search = searchJson(state, 'CONTENT')
  while (!search.isDone) search.advance(0)
  expect(search.hits.map(textOf)).toEqual(['messages[0].content', 'messages[1].content'])
  const values = searchJson(state, 'y')
  values.advance(100)
  expect(values.hits.map(textOf)).toEqual(['messages[1].content[1]', '["odd key"]'])
})

test('search handles 100,000 levels without overflowing the stack', () => {
  let deep: unknown = { needle: 1 }
  for (let level = 0; level < 100_000; level++) deep = [deep]
  const search = searchJson(deep, 'needle')
  while (!search.isDone) search.advance(1_000)
  expect(search.hits[0]).toHaveLength(100_001)
})
