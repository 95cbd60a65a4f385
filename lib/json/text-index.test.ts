import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextIndex } from './text-index'
import { TextNodes } from './text-nodes'
import { indented } from './text-print'
import { TextSearch } from './text-search'
import { TreeModel } from './tree-model'
import { searchJson } from './value-search'

const encode = (text: string) => new TextEncoder().encode(text)

function indexOf(text: string, cuts: readonly number[] = []): TextNodes {
  const bytes = encode(text)
  const index = new TextIndex()
  let from = 0
  for (const cut of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    index.add(bytes.slice(from, cut))
    index.advance()
    from = cut
  }
  index.end()
  index.advance()
  return new TextNodes(index)
}

/** The value that the index describes, built by asking for every child. `entries` keeps duplicate keys. */
function read(nodes: TextNodes, at: number): unknown {
  if (!nodes.isContainer(at)) {
    const raw = nodes.kindOf(at) === 'string' ? undefined : nodes.scalarText(at, Infinity)
    return raw === undefined ? nodes.stringAt(at) : JSON.parse(raw)
  }
  const positions = Array.from({ length: nodes.size(at) }, (_, position) => position)
  const entries = positions.map((position) => [nodes.keyAt(at, position), read(nodes, nodes.child(at, position))])
  return nodes.index.isList(at) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
const rootOf = (nodes: TextNodes) => nodes.index.root as number

/** Any JSON value, some with parts above the size from which containers are remembered. */
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.string({ unit: 'binary', maxLength: 8 }), tie('value'), { maxKeys: 6 }),
    fc.tuple(fc.nat(3000), tie('value')).map(([size, value]) => [...'x'.repeat(size), value, 'y'.repeat(size)]),
  ),
})).value
const anyIndent = fc.constantFrom(undefined, 1, '\t')

describe('an index over the bytes of a text', () => {
  test('describes the parsed value, wherever the bytes were split', () => {
    fc.assert(
      fc.property(anyValue, anyIndent, fc.array(fc.nat(), { maxLength: 4 }), (value, indent, cuts) => {
        const text = JSON.stringify(value, null, indent)
        const nodes = indexOf(text, cuts)
        expect(nodes.index.problem).toBeUndefined()
        expect(read(nodes, rootOf(nodes))).toEqual(JSON.parse(text))
      }),
      { numRuns: 150 },
    )
  })

  test('split at every byte, describes the same', () => {
    const text = '{"a\\"\\\\":[1,-2.5e+3,"é😀\\ud800",{}],"b":{"c":[[]],"d":null},"e":true}'
    for (let cut = 0; cut <= encode(text).length; cut++) {
      const nodes = indexOf(text, [cut])
      expect(read(nodes, rootOf(nodes))).toEqual(JSON.parse(text))
    }
  })

  test('finds a child of a large list without reading from the start, in any order', () => {
    const list = Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'lorem ipsum '.repeat(n % 30) }))
    const nodes = indexOf(JSON.stringify({ before: 1, list, after: 2 }))
    const at = nodes.child(rootOf(nodes), 1)
    fc.assert(
      fc.property(fc.nat(19_999), (position) => {
        const child = nodes.child(at, position)
        expect(nodes.scalarText(nodes.child(child, 0), 20)).toBe(String(position))
        expect(nodes.index.positionOf(at, nodes.child(child, 1))).toBe(position)
      }),
    )
    expect(nodes.index.positionOf(rootOf(nodes), at)).toBe(1)
  })

  test('keeps what a parser changes: long numbers, duplicate keys, __proto__, lone surrogates', () => {
    const text = '{"id":12345678901234567890,"x":1.10,"a":1,"a":2,"__proto__":{"b":1e400},"s":"\\ud83d"}'
    const nodes = indexOf(text)
    const model = new TreeModel(nodes, rootOf(nodes))
    model.openBelow([], 40)
    const lines = Array.from({ length: model.rowCount }, (_, line) => model.rowAt(line)).flatMap((row) => row ?? [])
    const shown = lines.map(
      ({ key, value }) => `${key}: ${nodes.isContainer(value) ? '' : nodes.scalarText(value, 99)}`,
    )
    const scalars = ['id: 12345678901234567890', 'x: 1.10', 'a: 1', 'a: 2', '__proto__: ', 'b: 1e400', 's: "\\ud83d"']
    expect(shown.slice(1)).toEqual(scalars)
    expect(nodes.stringAt(nodes.child(rootOf(nodes), 5))).toBe('\ud83d')
    expect(indented(nodes.index, rootOf(nodes)).replace(/\n */g, '').replaceAll(': ', ':')).toBe(text)
  })

  test('handles 100,000 levels and strings of 10 MB', () => {
    const deep = `${'[{"a":'.repeat(50_000)}"needle"${'}]'.repeat(50_000)}`
    const nodes = indexOf(deep)
    const search = new TextSearch(nodes.index, rootOf(nodes), 'needle')
    search.advance(Infinity)
    const model = new TreeModel(nodes, rootOf(nodes))
    const place: number[] = []
    for (let at = rootOf(nodes); at !== search.hits[0]; ) {
      const position = nodes.index.positionOf(at, search.hits[0] as number)
      place.push(position)
      at = nodes.child(at, position)
    }
    expect(place).toHaveLength(100_000)
    model.open(place.slice(0, -1))
    expect(model.indexOf(place)).toBe(100_000)
    const long = indexOf(JSON.stringify(['a', 'é'.repeat(5_000_000), 'b']), [1_000_000, 3_000_000])
    expect(long.beginningOf(long.child(0, 1), 3)).toEqual({ text: 'ééé', isAll: false })
    expect(long.stringAt(long.child(0, 1))).toHaveLength(5_000_000)
    expect(long.scalarText(long.child(0, 2), 9)).toBe('"b"')
  })

  test.each([
    ['{"a":[1,2', 'The text ends too early.'],
    ['{"a', 'The text ends too early.'],
    ['', 'There is nothing in it.'],
    ['{"a":1]}', 'The bracket closed at byte 7 was never opened.'],
  ])('%s is reported as invalid, and the part before it is available', (text, problem) => {
    const nodes = indexOf(text)
    expect(nodes.index.problem).toBe(problem)
    if (text.includes(':')) expect(nodes.keyAt(rootOf(nodes), 0)).toBe('a')
  })

  test('reports how much of an incomplete value has arrived, and never half a number', () => {
    const index = new TextIndex()
    const nodes = new TextNodes(index)
    index.add(encode('{"list":[1,{"a":1},23'))
    index.advance()
    const model = new TreeModel(nodes, rootOf(nodes))
    model.open([0])
    expect(model.rowCount).toBe(5)
    expect(nodes.scalarText(nodes.child(nodes.child(0, 0), 2), 9)).toBe('…')
    index.add(encode('4,5],"next":true}'))
    index.advance()
    model.grow()
    expect(model.rowCount).toBe(7)
    expect(nodes.scalarText(nodes.child(nodes.child(0, 0), 2), 9)).toBe('234')
    expect(nodes.isWhole(0)).toBe(true)
  })
})

test('search finds the same in the bytes as in the parsed value', () => {
  const needle = fc.string({ unit: fc.constantFrom('a', 'E', '1', 'u', 'é', '"'), minLength: 1, maxLength: 2 })
  fc.assert(
    fc.property(anyValue, needle, anyIndent, (value, text, indent) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value))
      const nodes = indexOf(JSON.stringify(parsed, null, indent))
      const model = new TreeModel(nodes, rootOf(nodes))
      const inValue = searchJson(parsed, text)
      inValue.advance(Infinity)
      const inText = new TextSearch(nodes.index, rootOf(nodes), text)
      inText.advance(Infinity)
      expect(inText.hits).toEqual(inValue.hits.map((place) => model.valueAt(place)))
    }),
    { numRuns: 150 },
  )
})
