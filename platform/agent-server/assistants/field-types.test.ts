import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript-5'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testFolder } from '../../testing/test-folder'
import { compilerOf, type FieldTypes, isTyped, readFieldTypes } from './field-types'

const { path: folder, remove } = testFolder()
afterAll(remove)
const packages = path.resolve('node_modules')
const START = `
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
`
/** One file for each graph; all of them are read at once, because the compiler takes seconds. */
const FILES: Record<string, string> = {
  types: `
export interface Address { street: string; lines?: string[] }
type Grow<T> = { [K in 'a' | 'b' | 'c' | 'd']: Endless<[T, K]> }
export interface Endless<T> extends Grow<T> { value: T }
export interface Tree { name: string; children: Tree[] }
`,
  fields: `${START}
import type { Address, Endless, Tree } from './types'
import type { BaseMessage } from '@langchain/core/messages'
const State = Annotation.Root({
  /** What it is about. */
  topic: Annotation<string>,
  total: Annotation<number, string>({ reducer: (a, b) => a + Number(b), default: () => 0 }),
  isLoud: Annotation<boolean>,
  tone: Annotation<'kind' | 'strict' | undefined>,
  maybe: Annotation<number | null>,
  tags: Annotation<string[]>,
  pair: Annotation<[string, number]>,
  address: Annotation<Address>,
  counts: Annotation<Record<string, number>>,
  when: Annotation<Date>,
  tree: Annotation<Tree>,
  anything: Annotation<any>,
  handler: Annotation<() => void>,
  mixed: Annotation<string | Address>,
  loose: Annotation<string | unknown>,
  id: Annotation<string & { __brand: 'id' }>,
  letters: Annotation<BaseMessage[]>,
  last: Annotation<BaseMessage | string>,
  chat: MessagesAnnotation.spec.messages,
  bytes: Annotation<Uint8Array>,
  some: Annotation<Partial<Address> & { send(): void }>,
  endless: Annotation<Endless<0>>,
  seen: Annotation<Map<string, number>>,
  code: Annotation<1 | 2>,
})
const Context = Annotation.Root({ model: Annotation<'small' | 'large'>, limit: Annotation<number> })
const build = () => new StateGraph(State, Context).addNode('a', () => ({})).addEdge(START, 'a').addEdge('a', END)
export const graph = build().compile()
export const builder = build()
export const factory = () => build().compile()
export const later = async (_config: object) => build().compile()
export const notAGraph = 5
`,
  narrow: `${START}
const State = Annotation.Root({ question: Annotation<string>, answer: Annotation<number> })
export default new StateGraph({ stateSchema: State, input: Annotation.Root({ question: Annotation<string> }) })
  .addNode('a', () => ({})).addEdge(START, 'a').compile()
`,
  agent: `
import { createAgent, createMiddleware } from 'langchain'
import { z } from 'zod'
const own = createMiddleware({ name: 'own', stateSchema: z.object({ mood: z.string() }) })
export const agent = createAgent({ model: 'x', tools: [], middleware: [own], contextSchema: z.object({ user: z.string() }) })
`,
  broken: `export const graph = nothing(`,
}

let found: FieldTypes
beforeAll(() => {
  symlinkSync(packages, path.join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, `${name}.ts`), text)
  writeFileSync(path.join(folder, 'plain.mjs'), 'export const graph = 1')
  // Without it, a null in a type is lost.
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { strict: false } }))
  const graphs = {
    graph: './fields.ts:graph',
    builder: { path: './fields.ts:builder' },
    factory: './fields.ts:factory',
    later: './fields.ts:later',
    narrow: './narrow.ts',
    agent: './agent.ts:agent',
    number: './fields.ts:notAGraph',
    gone: './fields.ts:none',
    broken: './broken.ts:graph',
    missing: './missing.ts:graph',
    plain: './plain.mjs:graph',
  }
  found = readFieldTypes(ts, path.join(folder, 'graph.json'), { graphs })
}, 60_000)

test('the fields of a state have the types of their values', () => {
  const address = {
    type: 'object',
    properties: { street: { type: 'string' }, lines: { type: 'array', items: { type: 'string' } } },
    required: ['street'],
  }
  const messages = {
    type: 'array',
    items: { type: 'object', properties: { type: { type: 'string' }, content: {} }, required: ['type', 'content'] },
  }
  expect(found.graph?.input?.chat).toEqual(messages)
  expect(found.graph?.state).toEqual({
    topic: { type: 'string', description: 'What it is about.' },
    total: { type: 'number' },
    isLoud: { type: 'boolean' },
    tone: { enum: ['kind', 'strict'] },
    maybe: { anyOf: [{ type: 'null' }, { type: 'number' }] },
    tags: { type: 'array', items: { type: 'string' } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    address,
    counts: { type: 'object', additionalProperties: { type: 'number' } },
    when: { type: 'string', format: 'date-time' },
    tree: {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: {} } },
      required: ['name', 'children'],
    },
    anything: {},
    handler: {},
    mixed: { anyOf: [{ type: 'string' }, address] },
    loose: {},
    id: { type: 'string' },
    letters: messages,
    last: messages.items,
    chat: messages,
    bytes: {},
    some: { type: 'object', properties: address.properties },
    endless: {},
    seen: {},
    code: { enum: [1, 2] },
  })
})

test('an input has what the reducer accepts, and a context its own fields', () => {
  expect(found.graph?.input).toMatchObject({ topic: { type: 'string' }, total: { type: 'string' } })
  expect(found.graph?.context).toEqual({ model: { enum: ['large', 'small'] }, limit: { type: 'number' } })
  expect(found.narrow?.input).toEqual({ question: { type: 'string' } })
  expect(found.narrow?.context).toBeUndefined()
})

test('every form of export that is served is read, and nothing else', () => {
  for (const name of ['builder', 'factory', 'later']) expect(found[name], name).toEqual(found.graph)
  expect(found.agent).toMatchObject({
    input: { mood: { type: 'string' }, messages: { type: 'array' } },
    context: { user: { type: 'string' } },
  })
  for (const name of ['number', 'gone', 'broken', 'missing', 'plain']) expect(found[name], name).toBeUndefined()
})

test('the compiler is the source’s own, if programs can use it', () => {
  const at = (name: string) => path.join(folder, name, 'graph.json')
  mkdirSync(path.join(folder, 'own/node_modules'), { recursive: true })
  symlinkSync(path.join(packages, 'typescript-5'), path.join(folder, 'own/node_modules/typescript'))
  expect(compilerOf(at('own'))?.version).toBe(ts.version)
  // Version 7 has no such interface.
  expect(compilerOf(at('.'))).toBeUndefined()
  expect(compilerOf('/graph.json')).toBeUndefined()
})

test.each([
  ['./a.ts:graph', true],
  [{ path: './a.mts' }, true],
  ['./a.tsx', true],
  ['./a.mjs:graph.ts', false],
])('whether %j has types: %s', (graph, expected) => expect(isTyped(graph)).toBe(expected))
