import { describe, expect, test } from 'vitest'
import { type GraphConfig, parseGraphConfig, unappliedKeys } from './config-file'

const graphs = { chat: './chat.mjs:graph' }
const parse = (more: object = {}) => parseGraphConfig(JSON.stringify({ graphs, ...more }), 'graph.json')

describe('a graph configuration file', () => {
  test.each<[string, object]>([
    ['a graph with a description', { graphs: { chat: { path: './chat.mjs', description: 'Talks' } } }],
    ['values for the environment', { env: { A: '1' } }],
    ['an env file, a version and dependencies', { env: '.env', node_version: 22, dependencies: ['.'] }],
    ['switched off groups', { http: { disable_store: true, app: './app.ts:app' } }],
    ['how long threads live', { checkpointer: { ttl: { strategy: 'delete', default_ttl: 0.5 } } }],
    ['an index of items', { store: { index: { embed: 'openai:small', dims: 1, fields: ['$'] } } }],
    ['null for every part', { env: null, http: null, auth: null, checkpointer: null, webhooks: null, store: null }],
  ])('may have %s', (_, more) => {
    expect(parse(more)).toEqual({ graphs, ...more })
  })

  test('gives the values of its environment as texts', () => {
    expect(parse({ env: { PORT: 8000, ON: true } }).env).toEqual({ PORT: '8000', ON: 'true' })
  })

  test('keeps the keys that it does not know, so that they can be reported', () => {
    expect(parse({ colour: 'red', http: { colour: 'red' } })).toMatchObject({ colour: 'red', http: { colour: 'red' } })
  })

  test.each<[object, string]>([
    [{ graphs: {} }, 'graphs: names no graph'],
    [{ graphs: { '': './a.mjs' } }, 'graphs'],
    [{ graphs: { chat: './a.mjs:b:c' } }, 'graphs.chat: '],
    [{ graphs: { chat: ':b' } }, 'graphs.chat: '],
    [{ graphs: { chat: './a.mjs:' } }, 'graphs.chat: '],
    [{ http: { app: './a.mjs:b:c' } }, 'http.app: expected "./file.mjs:export"'],
    [{ checkpointer: { ttl: { default_ttl: 0 } } }, 'checkpointer.ttl.default_ttl: '],
    [{ checkpointer: { ttl: { strategy: 'forget' } } }, 'checkpointer.ttl.strategy: '],
    [{ store: { index: { dims: 0 } } }, 'store.index.dims: '],
    [{ store: { ttl: { refresh_on_read: 'yes' } } }, 'store.ttl.refresh_on_read: '],
    [{ webhooks: { env_prefix: '' } }, 'webhooks.env_prefix: '],
    [{ webhooks: { url: { max_url_length: 0 } } }, 'webhooks.url.max_url_length: '],
    [{ http: { cors: { max_age: -1 } } }, 'http.cors.max_age: '],
    [{ http: { cors: { allow_origin_regex: '(' } } }, 'http.cors.allow_origin_regex: is not a regular expression'],
  ])('with %j is refused by the place of the problem', (more, problem) => {
    expect(() => parse(more)).toThrow(`graph.json is not a graph configuration: ${problem}`)
  })

  test('is refused with all of its problems, by its name', () => {
    expect(() => parse({ auth: 1, node_version: {} })).toThrow(/node_version: .*; auth: /)
    expect(() => parseGraphConfig('7', 'my.json')).toThrow('my.json is not a graph configuration: the file: ')
    expect(() => parseGraphConfig('{', 'my.json')).toThrow(/^my\.json is not valid JSON: ./)
  })
})

describe('the keys that are not applied', () => {
  const unapplied = (more: object) => unappliedKeys({ graphs, ...more } as GraphConfig)

  test.each<[object, string]>([
    [{ dockerfile_lines: ['RUN x'] }, '"dockerfile_lines" is not applied: the platform builds no container image.'],
    [{ python_version: '3.11' }, '"python_version" is not applied: the platform runs JavaScript and TypeScript.'],
    [{ colour: 'red' }, '"colour" is not applied: the platform does not know it.'],
    [{ auth: { cache: { ttl: 1 } } }, '"auth.cache" is not applied: every request is authenticated.'],
    [{ http: { colour: 1 } }, '"http.colour" is not applied: the platform does not know it.'],
    [
      { checkpointer: { ttl: { sweep_interval_minutes: 1 } } },
      '"checkpointer.ttl.sweep_interval_minutes" is not applied: expired threads are removed every half a minute.',
    ],
    [{ webhooks: { url: { colour: true } } }, '"webhooks.url.colour" is not applied: the platform does not know it.'],
    [
      { dependencies: ['.', './', './agent', 'langchain', 'agent/.'] },
      '"dependencies" is not applied to ./agent, langchain, agent/.: packages are installed from package.json.',
    ],
  ])('are told: %j', (more, line) => {
    expect(unapplied(more)).toEqual([line])
  })

  test('are not told where they have no value', () => {
    for (const empty of [null, undefined, false, '', [], {}])
      expect([empty, unapplied({ ui: empty, auth: { openapi: empty } })]).toEqual([empty, []])
    expect(unapplied({ ui: 0, api_version: true })).toHaveLength(2)
  })

  test('are none of those that the server reads', () => {
    expect(
      unapplied({
        $schema: 'x',
        env: '.env',
        node_version: 22,
        dependencies: ['.', './'],
        http: { app: './a.ts', cors: { allow_origins: ['x'], colour: 1 }, disable_mcp: true, disable_webhooks: true },
        auth: { path: './a.ts', disable_studio_auth: true },
        store: { ttl: { default_ttl: 1 }, index: { embed: 'x' } },
        checkpointer: { ttl: { strategy: 'delete', default_ttl: 1 } },
        webhooks: { env_prefix: 'A', headers: { a: 'b' }, url: { require_https: true, disable_loopback: true } },
      }),
    ).toEqual([])
    expect(unapplied({ dependencies: null })).toEqual([])
  })
})
