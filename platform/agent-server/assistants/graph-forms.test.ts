import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Graphs, readConfig } from './graphs'
import { loadExport, placeOf } from './load-export'

/** What an export of the graph file may be; `graphs.test.ts` has whole programs. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'graph-forms-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(
  path.join(folder, 'forms.mjs'),
  `export class Own {
     constructor(name) { this.name = name }
     stream() {}
     getState() {}
     async getGraphAsync() { return {} }
     withConfig() { return Object.assign(new Own(this.name), { isCopy: true }) }
   }
   export const asked = []
   export const compiled = new Own('compiled')
   export const builder = { name: 'built', compile() { return new Own(this.name) } }
   export const agent = { graph: new Own('inner'), stream() {}, getState() {}, async getGraphAsync() {}, withConfig() {} }
   export const promised = Promise.resolve(new Own('promised'))
   export const factory = async (config, runtime) => {
     asked.push([config, runtime])
     return new Own(String(config.configurable.n ?? 'made'))
   }
   export const callable = Object.assign(() => 1, { stream() {}, getState() {}, async getGraphAsync() {}, withConfig() { return new Own('callable') } })
   export const none = null
   export const text = 'graph'
   export const partial = { stream() {}, getState() {}, withConfig() {} }
   export const odd = () => 7
   class Undrawn extends Own {
     withConfig() { return this }
     async getGraphAsync() { throw new Error('no drawing') }
   }
   export const undrawn = new Undrawn('x')
   export const thrown = () => { throw 'a text' }
   export default new Own('default')`,
)
type Own = { name: string; isCopy: boolean; checkpointer: unknown; store: unknown }
const memory = { saver: 'saver', store: 'store' } as never
const load = (graphs: Record<string, string | { path: string; description?: string | null }>) =>
  Graphs.load(graphs, folder, memory)
const get = async (place: string) => (await (await load({ g: place })).get('g', 'assistants.read')) as unknown as Own

describe('a graph', () => {
  test.each([
    ['compiled', 'compiled'],
    ['builder', 'built'],
    ['agent', 'inner'],
    ['promised', 'promised'],
    ['factory', 'made'],
    ['callable', 'callable'],
    ['default', 'default'],
  ])('may be exported as %s, and gets the memory of the server on a copy', async (name, graph) => {
    const found = await get(`./forms.mjs:${name}`)
    expect([found.name, found.isCopy ?? true, found.checkpointer, found.store]).toEqual([graph, true, 'saver', 'store'])
    const { compiled } = (await import(path.join(folder, 'forms.mjs'))) as { compiled: Own }
    expect(compiled).not.toHaveProperty('checkpointer')
  })

  test.each([
    ['text', /The export "text" is not a graph: expected a compiled graph/],
    ['partial', /The export "partial" is not a graph/],
    ['odd', /The export "odd" is not a graph/],
    ['none', /forms\.mjs has no export "none"/],
    ['undrawn', /^no drawing$/],
    ['thrown', /^a text$/],
  ])('is not what is exported as %s', async (name, message) => {
    await expect(load({ good: './forms.mjs:compiled', bad: `./forms.mjs:${name}` })).rejects.toMatchObject({
      name: 'GraphLoadError',
      graph: 'bad',
      message: expect.stringMatching(message),
      cause: expect.any(String),
    })
  })

  test('of a factory is made for each use, and knows why', async () => {
    const graphs = await load({ g: './forms.mjs:factory' })
    const { asked } = (await import(path.join(folder, 'forms.mjs'))) as { asked: unknown[] }
    asked.length = 0
    const one = await graphs.get('g', 'threads.create_run', { configurable: { n: 1 } }, { user: 'ada' })
    const two = await graphs.get('g', 'threads.read')
    expect([(one as unknown as Own).name, (two as unknown as Own).name, one === two]).toEqual(['1', 'made', false])
    expect(asked).toEqual([
      [
        { configurable: { n: 1 } },
        { accessContext: 'threads.create_run', executionRuntime: { context: { user: 'ada' } } },
      ],
      [{ configurable: {} }, { accessContext: 'threads.read', executionRuntime: null }],
    ])
  })

  test('that is one object is the same for each use', async () => {
    const graphs = await load({ g: './forms.mjs:compiled' })
    expect(await graphs.get('g', 'threads.read')).toBe(await graphs.get('g', 'threads.update'))
  })
})

describe('the graphs of a deployment', () => {
  test('are known by their names, with their descriptions', async () => {
    const graphs = await load({
      a: './forms.mjs:compiled',
      b: { path: './forms.mjs', description: 'Talks' },
      c: { path: './forms.mjs', description: null },
    })
    expect([graphs.ids, graphs.has('a'), graphs.has('x')]).toEqual([['a', 'b', 'c'], true, false])
    expect(['a', 'b', 'c', 'x'].map((id) => graphs.descriptionOf(id))).toEqual([
      undefined,
      'Talks',
      undefined,
      undefined,
    ])
    expect(() => graphs.get('x', 'threads.read')).toThrow(
      expect.objectContaining({ status: 404, detail: 'Graph x not found. This deployment has: a, b, c.' }),
    )
    const none = await load({})
    expect(() => none.get('x', 'threads.read')).toThrow('This deployment has: none.')
  })
})

describe('an export', () => {
  test('has its place relative to the graph file', () => {
    expect(placeOf('./src/a.ts:graph', '/x')).toEqual({ file: '/x/src/a.ts', exportName: 'graph' })
    expect(placeOf('a.mjs', '/x')).toEqual({ file: '/x/a.mjs', exportName: 'default' })
  })

  test('that there is not is told with those that there are', async () => {
    writeFileSync(path.join(folder, 'empty.mjs'), '')
    await expect(loadExport(path.join(folder, 'empty.mjs'), 'a')).rejects.toThrow(
      'empty.mjs has no export "a" (it exports nothing).',
    )
  })
})

test('a graph file that cannot be used is told by its name', async () => {
  writeFileSync(path.join(folder, 'bad.json'), '{"graphs":{}}')
  for (const name of ['bad.json', 'missing.json'])
    await expect(readConfig(path.join(folder, name))).rejects.toMatchObject({
      name: 'GraphLoadError',
      graph: undefined,
      message: expect.stringContaining(name),
    })
  writeFileSync(path.join(folder, 'good.json'), '{"graphs":{"a":"./a.mjs"}}')
  expect(await readConfig(path.join(folder, 'good.json'))).toEqual({ graphs: { a: './a.mjs' } })
})
