import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DeploymentCreate, SourceRevisionConfig } from '../deployments/deployments'
import { detectDialect, fromWire, inBothDialects, readKey, toWire } from './dialect'

describe('reading', () => {
  test('both spellings of a deployment give the same result', () => {
    const of = (key: string) => ({
      resources: [{ source_revision_config: { [key]: 'agent.json', repo_ref: 'main' } }],
      offset: 0,
    })
    expect(fromWire(of('langgraph_config_path'))).toEqual(of('graph_config_path'))
    expect(fromWire(of('graph_config_path'))).toEqual(of('graph_config_path'))
    expect(SourceRevisionConfig.parse(fromWire({ langgraph_config_path: 'a' }))).toEqual({ graph_config_path: 'a' })
  })

  test('translates metadata of messages, checkpoints and runs, and server info', () => {
    expect(fromWire({ langgraph_node: 'a', langgraph_checkpoint_ns: 'b', graph_id: 'g' })).toEqual({
      graph_node: 'a',
      graph_checkpoint_ns: 'b',
      graph_id: 'g',
    })
    expect(
      fromWire([{ metadata: { langgraph_step: 1 }, tasks: [{ state: { metadata: { langgraph_step: 2 } } }] }]),
    ).toEqual([{ metadata: { graph_step: 1 }, tasks: [{ state: { metadata: { graph_step: 2 } } }] }])
    expect(fromWire({ kwargs: { config: { configurable: { langgraph_host: 'h' } } } })).toEqual({
      kwargs: { config: { configurable: { graph_host: 'h' } } },
    })
    expect(fromWire({ langgraph_js_version: '1' })).toEqual({ graph_js_version: '1' })
  })

  test('user data is not changed, and is passed on itself', () => {
    const own = { langgraph_node: 'mine', metadata: { langgraph_node: 'mine' } }
    const record = fromWire({ values: own, kwargs: { input: own, context: own } }) as {
      values: unknown
      kwargs: Record<string, unknown>
    }
    expect(record.values).toBe(own)
    expect(record.kwargs.input).toBe(own)
    expect(record.kwargs.context).toBe(own)
  })

  test('a record with both spellings keeps both', () => {
    const both = { metadata: { langgraph_node: 'a', graph_node: 'b' } }
    expect(fromWire(both)).toEqual(both)
  })

  test('either spelling is found where a record is not renamed', () => {
    expect(readKey({ langgraph_node: 'a' }, 'node')).toBe('a')
    expect(readKey({ graph_node: 'b' }, 'node')).toBe('b')
  })
})

describe('writing', () => {
  const body = {
    source_revision_config: { graph_config_path: 'graph.json' },
    metadata: { graph_id: 'g', graph_node: 'n' },
    input: { graph_node: 'mine' },
  }

  test('the default dialect is sent unchanged', () => {
    expect(toWire(body, 'graph')).toBe(body)
  })

  test('only the keys of the other dialect are translated', () => {
    expect(toWire(body, 'langgraph')).toEqual({
      source_revision_config: { langgraph_config_path: 'graph.json' },
      metadata: { graph_id: 'g', langgraph_node: 'n' },
      input: { graph_node: 'mine' },
    })
  })

  // Listed by hand, so that a row missing in the source is noticed here.
  const written = ['config_path', 'node', 'step', 'triggers', 'path', 'checkpoint_ns']
  test.each(written)('graph_%s is written with the brand, and read back', (name) => {
    expect(toWire({ [`graph_${name}`]: 1 }, 'langgraph')).toEqual({ [`langgraph_${name}`]: 1 })
    expect(fromWire({ [`langgraph_${name}`]: 1 })).toEqual({ [`graph_${name}`]: 1 })
    expect(detectDialect({ [`graph_${name}`]: 1 })).toBe('graph')
  })

  const places = ['source_revision_config', 'metadata', 'config', 'configurable', 'kwargs', 'payload', 'extra']
  const lists = ['resources', 'tasks', 'runs', 'items', 'checkpoint', 'parent_config', 'state']
  test.each([...places, ...lists])('keys within %s are translated both ways and reveal the dialect', (place) => {
    const ours = { [place]: { graph_node: 'n' } }
    const theirs = { [place]: { langgraph_node: 'n' } }
    expect(toWire(ours, 'langgraph')).toEqual(theirs)
    expect(fromWire(theirs)).toEqual(ours)
    expect(detectDialect(theirs)).toBe('langgraph')
  })

  test('a server with that dialect reads the intended request', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('graph_config_path', 'graph_node', 'graph_id', 'graph_path', 'repo_ref', '__proto__'),
          fc.jsonValue(),
        ),
        (record) => {
          const sent = toWire({ source_revision_config: record, metadata: record }, 'langgraph')
          expect(fromWire(sent)).toEqual({ source_revision_config: record, metadata: record })
        },
      ),
    )
  })

  test("a request's schema accepts only the default dialect", () => {
    expect(
      DeploymentCreate.safeParse({ source_revision_config: { langgraph_config_path: 'a' } }).error?.issues,
    ).toContainEqual(expect.objectContaining({ code: 'unrecognized_keys', keys: ['langgraph_config_path'] }))
  })
})

describe('detecting', () => {
  test.each([
    [{ resources: [{ source_revision_config: { langgraph_config_path: null } }] }, 'langgraph'],
    [{ source_revision_config: { graph_config_path: 'a' } }, 'graph'],
    [[{ metadata: { graph_node: 'a' } }, { metadata: { langgraph_node: 'b' } }], 'langgraph'],
    [{ metadata: { graph_id: 'g' } }, undefined],
    [{ values: { langgraph_node: 'mine' } }, undefined],
    [{ resources: [] }, undefined],
    [null, undefined],
    ['langgraph_node', undefined],
  ])('%j indicates %s', (record, dialect) => {
    expect(detectDialect(record)).toBe(dialect)
  })
})

test('200,000 levels are walked without overflowing the stack', () => {
  let deep: unknown = 1
  for (let level = 0; level < 200_000; level++) deep = { metadata: deep }
  expect(() => [fromWire(deep), toWire(deep, 'langgraph'), detectDialect(deep)]).not.toThrow()
})

test('a record can have its keys under both names', () => {
  const record = { langgraph_node: 'a', metadata: { langgraph_step: 1 }, other: 2 }
  expect(inBothDialects(record)).toEqual({
    langgraph_node: 'a',
    graph_node: 'a',
    metadata: { graph_step: 1 },
    other: 2,
  })
})

test('what is no record is passed on itself', () => {
  for (const value of ['langgraph_node', 7, null, undefined])
    expect([fromWire(value), toWire(value, 'langgraph')]).toEqual([value, value])
  expect(fromWire({ metadata: 'langgraph_node', tasks: [7] })).toEqual({ metadata: 'langgraph_node', tasks: [7] })
})

test('only the beginning of a long list is searched for the dialect', () => {
  const list = (size: number) => [...Array.from({ length: size }, () => ({})), { metadata: { langgraph_node: 'a' } }]
  expect(detectDialect(list(99))).toBe('langgraph')
  expect(detectDialect(list(100))).toBeUndefined()
})
