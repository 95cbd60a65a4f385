import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, vi } from 'vitest'
import { fixtures, storeTest, testServer } from '../testing'

// Generous, because processes start slowly on a busy machine: only a hang should time out.
vi.setConfig({ testTimeout: 60_000 })

const folder = mkdtempSync(path.join(os.tmpdir(), 'agent-graphs-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A configuration with one graph, and the graph's code if given; in a folder of its own, because tests run at once. */
function project(graph: string, place: string, files: Record<string, string> = {}): string {
  const own = path.join(folder, graph)
  mkdirSync(own)
  for (const [name, code] of Object.entries(files)) writeFileSync(path.join(own, name), code)
  const config = path.join(own, 'graph.json')
  writeFileSync(config, JSON.stringify({ graphs: { [graph]: place } }))
  return config
}

describe.concurrent('graph code', () => {
  storeTest('a promise that nobody handles is logged, and the server goes on', async ({ store: { start } }) => {
    const child = await start()
    expect((await child.post('/runs/wait', { assistant_id: 'failing', input: { how: 'reject' } })).json).toMatchObject({
      done: ['good'],
    })
    expect((await child.get('/ok')).json).toEqual({ ok: true })
    await sleep(50)
    expect(child.output.join('')).toContain('nobody waits for this')
  })

  storeTest('that cannot be loaded ends the process, which tells its launcher why', async ({ store }) => {
    const failure = await store.start({}, project('gone', './nothing.mjs:graph')).catch((error: Error) => error)
    expect(JSON.parse((failure as Error).message)).toEqual({
      graph: 'gone',
      message: expect.stringMatching(/nothing\.mjs/),
    })
  })

  storeTest('that lacks a package is told with the file that asks for it', async ({ store }) => {
    const files = { 'own.ts': "import { nothing } from '@acme/gone'\nexport const graph = nothing" }
    const failure = await store.start({}, project('lacking', './own.ts:graph', files)).catch((error: Error) => error)
    expect(JSON.parse((failure as Error).message)).toEqual({
      graph: 'lacking',
      message: expect.stringMatching(/Cannot find package '@acme\/gone' imported from \S+\/own\.ts/),
    })
  })

  storeTest.for([
    ['other', 'a missing export', './own.mjs:other', /no export "other" \(it exports graph\)/],
    ['none', 'something that is no graph', './own.mjs:graph', /is not a graph/],
    ['broken', 'broken code', './broken.mjs:graph', /Unexpected|Invalid|[Pp]arse/],
  ] as const)('%s: %s is told by its graph, and nothing starts', async ([graph, , place, message], { store }) => {
    const files = { 'own.mjs': 'export const graph = { not: "a graph" }', 'broken.mjs': 'export const graph = {' }
    await expect(
      testServer({ databaseUrl: store.url, configPath: project(graph, place, files) }),
    ).rejects.toMatchObject({
      graph,
      message: expect.stringMatching(message),
    })
  })

  storeTest('sees neither the settings of the server nor tracing without an address', async ({ store: { start } }) => {
    const spy = `
      import { StateGraph, START, END } from '@langchain/langgraph'
      import { z } from 'zod'
      const seen = JSON.stringify(Object.entries(process.env).filter(([name]) => /PILOTHOUSE|TRACING/.test(name)))
      export const graph = new StateGraph(z.object({ seen: z.string().default('') }))
        .addNode('look', () => ({ seen })).addEdge(START, 'look').addEdge('look', END).compile()`
    const secret = 'a secret of the gateway'
    const env = {
      PILOTHOUSE_AGENT_SECRET: secret,
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: 'https://api.smith.langchain.com',
    }
    const child = await start(env, project('spy', './spy.mjs:graph', { 'spy.mjs': spy }))
    const { json } = await child.post('/runs/wait', { assistant_id: 'spy', input: {} })
    expect(Object.fromEntries(JSON.parse(json.seen))).toEqual({
      LANGSMITH_TRACING: 'false',
      LANGSMITH_TRACING_V2: 'false',
      LANGCHAIN_TRACING: 'false',
      LANGCHAIN_TRACING_V2: 'false',
    })
  })

  /** A project with a stand-in for the runtime package that claims this version. */
  function withRuntime(version: string): string {
    const own = path.join(folder, version)
    const runtime = path.join(own, 'node_modules/@langchain/langgraph')
    mkdirSync(runtime, { recursive: true })
    writeFileSync(path.join(runtime, 'package.json'), JSON.stringify({ name: '@langchain/langgraph', version }))
    const config = path.join(own, 'graph.json')
    writeFileSync(config, '{"graphs":{"old":"./old.mjs:graph"}}')
    // Runtimes before 0.2.10 have no getGraphAsync, payloads without their mode if only one is requested, and
    // breakpoints only as fields of the graph.
    const code = `class Old {
      interruptBefore = []
      getGraph() { return { toJSON: () => ({ nodes: [{ id: 'a' }], edges: [] }) } }
      async getState(config) { return { values: { stops: this.stops }, next: [], tasks: [], config } }
      withConfig() { throw new Error('gives something that is no graph') }
      async *_streamIterator(input, { streamMode }) {
        const chunk = { stops: this.interruptBefore }
        yield streamMode.length === 1 ? chunk : ['values', chunk]
      }
    }
    export const graph = new Old()`
    writeFileSync(path.join(own, 'old.mjs'), code)
    return config
  }

  storeTest('of a runtime that is too old is refused with the way to update it', async ({ store }) => {
    await expect(testServer({ databaseUrl: store.url, configPath: withRuntime('0.1.9') })).rejects.toMatchObject({
      graph: 'old',
      message: expect.stringMatching(
        /built with @langchain\/langgraph 0\.1\.9; this server needs 0\.2\.2 or newer\. Update it with npm install/,
      ),
    })
  })

  storeTest('of an old runtime is driven without the methods that came later', async ({ store }) => {
    const server = await testServer({ databaseUrl: store.url, configPath: withRuntime('0.2.5') })
    expect((await server.get('/assistants/old/graph')).json.nodes).toMatchObject([{ id: 'a' }])
    expect((await server.get('/assistants/old/subgraphs')).json).toEqual({})
    const events = await server.stream('/runs/stream', {
      assistant_id: 'old',
      input: {},
      stream_mode: 'values',
      interrupt_before: ['a'],
    })
    expect(events.find(({ event }) => event === 'values')?.data).toEqual({ stops: ['a'] })
    await server.close()
  })

  storeTest.for([
    [
      'modules',
      'graph.mjs',
      "import { Annotation, interrupt, StateGraph } from '@langchain/langgraph'\nexport const graph =",
    ],
    [
      'required',
      'graph.cjs',
      "const { Annotation, interrupt, StateGraph } = require('@langchain/langgraph')\nexports.graph =",
    ],
  ] as const)(
    '%s: of a copy of the runtime of its own gets commands as that copy knows them',
    async ([name, file, head], { store }) => {
      const own = path.join(folder, name)
      const packages = path.join(own, 'node_modules')
      mkdirSync(path.join(packages, '@langchain'), { recursive: true })
      const shared = ['core', 'langgraph-checkpoint', 'langgraph-sdk', 'protocol'].map((one) => `@langchain/${one}`)
      for (const one of [...shared, '@standard-schema', 'zod'])
        symlinkSync(path.resolve('node_modules', one), path.join(packages, one))
      const runtime = path.join(packages, '@langchain/langgraph')
      cpSync(path.resolve('node_modules/@langchain/langgraph'), runtime, { recursive: true })
      const manifest = path.join(runtime, 'package.json')
      writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version: '1.99.0' }))
      writeFileSync(path.join(own, 'graph.json'), JSON.stringify({ graphs: { [name]: `./${file}:graph` } }))
      writeFileSync(
        path.join(own, file),
        `${head} new StateGraph(Annotation.Root({ text: Annotation() }))
        .addNode('ask', () => ({ text: interrupt('Well?') })).addNode('shout', ({ text }) => ({ text: text.toUpperCase() }))
        .addEdge('__start__', 'ask').addConditionalEdges('ask', () => 'shout', ['shout']).compile()`,
      )
      const server = await testServer({ databaseUrl: store.url, configPath: path.join(own, 'graph.json') })
      const asked = async () => {
        const thread = await server.newThread()
        const wait = async (more: object) =>
          (await server.post(`/threads/${thread}/runs/wait`, { assistant_id: name, ...more })).json
        expect((await wait({ input: { text: 'a' } })).__interrupt__).toHaveLength(1)
        return wait
      }
      const answered = await asked()
      expect(await answered({ command: { resume: 'so' } })).toEqual({ text: 'SO' })
      const sent = await asked()
      expect(await sent({ command: { goto: { node: 'shout', input: { text: 'sent' } } } })).toMatchObject({
        text: 'SENT',
      })
      expect((await server.get('/info')).json.graph_js_version).toBe('1.99.0')
      await server.close()
    },
  )

  storeTest('in TypeScript runs as it is', async ({ store: { start } }) => {
    const child = await start({}, fixtures)
    expect((await child.post('/runs/wait', { assistant_id: 'typed', input: { text: 'hi' } })).json).toEqual({
      text: 'HI!',
    })
  })
})
