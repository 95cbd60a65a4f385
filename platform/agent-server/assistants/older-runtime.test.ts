import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { copyOldGraph, isOldGraph, refuseOldRuntime, runtimeFor } from './older-runtime'

const folder = mkdtempSync(path.join(os.tmpdir(), 'runtime-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['0.2.1', true],
  ['0.1.99', true],
  ['0.0.30', true],
  ['0.2.2', false],
  ['0.2.10', false],
  ['0.3.0', false],
  ['1.0.0', false],
  ['0.2.2-rc.1', false],
  [undefined, false],
])('a graph of the runtime %s is refused: %s', (version, isRefused) => {
  if (isRefused)
    expect(() => refuseOldRuntime(version)).toThrow(`langgraph ${version}; this server needs 0.2.2 or newer`)
  else expect(() => refuseOldRuntime(version)).not.toThrow()
})

test('the runtime of a file is the nearest one above it; without one it is that of the server', async () => {
  const put = (place: string, version: string) => {
    const runtime = path.join(folder, place, 'node_modules/@langchain/langgraph')
    mkdirSync(runtime, { recursive: true })
    writeFileSync(path.join(runtime, 'package.json'), JSON.stringify({ version }))
  }
  put('outer', '0.2.5')
  put('outer/inner', '0.3.1')
  expect((await runtimeFor(path.join(folder, 'outer/inner/src/a.ts')))?.manifest.version).toBe('0.3.1')
  expect((await runtimeFor(path.join(folder, 'outer/other/a.ts')))?.manifest.version).toBe('0.2.5')
  expect(await runtimeFor(path.join(folder, 'none/a.ts'))).toBeUndefined()
})

class Old {
  interruptBefore: unknown = ['own']
  seen: unknown[] = []
  name = 'old'
  getGraph(config?: object) {
    return { toJSON: () => ({ config }) }
  }
  getState() {
    return this.name
  }
  async *_streamIterator(input: unknown, options: object) {
    this.seen.push([input, options])
    yield [this.interruptBefore, (this as { interruptAfter?: unknown }).interruptAfter]
  }
}

describe('a graph of an old runtime', () => {
  test('is known by its version and its methods', () => {
    expect(isOldGraph(new Old(), '0.2.35')).toBe(true)
    for (const version of ['0.2.36', '0.3.0', undefined]) expect(isOldGraph(new Old(), version)).toBe(false)
    for (const method of ['getGraph', 'getState', '_streamIterator']) {
      const { [method as 'getGraph']: _, ...others } = { getGraph: 1, getState: 1, _streamIterator: 1 }
      expect([method, isOldGraph(others, '0.2.35')]).toEqual([method, false])
    }
  })

  test('gets the methods that came later, and is not changed itself', async () => {
    const old = new Old()
    const copy = copyOldGraph(old) as Old & {
      getGraphAsync(config?: object): Promise<{ toJSON(): object }>
      getSubgraphsAsync(): AsyncIterable<unknown>
    }
    expect((await copy.getGraphAsync({ a: 1 })).toJSON()).toEqual({ config: { a: 1 } })
    expect(copy.getState()).toBe('old')
    for await (const _ of copy.getSubgraphsAsync()) expect.unreachable()
    expect(old).not.toHaveProperty('getGraphAsync')
    copy.name = 'copy'
    expect(old.name).toBe('old')
  })

  test('with subgraphs lists them, and keeps the methods that it has', async () => {
    const asked: unknown[] = []
    const inner = {}
    const old = Object.assign(new Old(), {
      getGraphAsync: async () => 'own',
      *getSubgraphs(...given: unknown[]) {
        asked.push(given)
        yield ['inner', inner]
      },
    })
    const copy = copyOldGraph(old) as typeof old & {
      getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncIterable<unknown>
    }
    const found: unknown[] = []
    for await (const one of copy.getSubgraphsAsync('a', true)) found.push(one)
    expect([found, asked, await copy.getGraphAsync()]).toEqual([[['inner', inner]], [['a', true]], 'own'])
    const own = async function* () {
      yield 'own'
    }
    const kept = copyOldGraph(Object.assign(new Old(), { getSubgraphsAsync: own })) as { getSubgraphsAsync?: unknown }
    expect(kept.getSubgraphsAsync).toBe(own)
  })

  test('stops where it is asked to, and names the mode of each payload', async () => {
    const old = new Old()
    const copy = copyOldGraph(old)
    const stream = async (options: object) => {
      const found: unknown[] = []
      for await (const one of copy._streamIterator(1, { streamMode: ['values'], ...options })) found.push(one)
      return found
    }
    expect(await stream({})).toEqual([[['own'], undefined]])
    expect(await stream({ interruptBefore: ['a'], tags: ['x'] })).toEqual([[['a'], undefined]])
    expect(await stream({ interruptAfter: ['b'] })).toEqual([[['own'], ['b']]])
    expect(old.seen).toEqual([
      [1, { streamMode: ['values', 'none', 'none'] }],
      [1, { streamMode: ['values', 'none', 'none'], tags: ['x'] }],
      [1, { streamMode: ['values', 'none', 'none'] }],
    ])
  })
})
