import { describe, expect, test } from 'vitest'
import type { LightRun } from './light-run'
import { lightRun } from './light-run'
import { flagsOf, sumsOf, TraceTree, type TreeNode, type TreeOptions } from './tree'

const run = (id: string, parent: string | null = null, more: Partial<LightRun> = {}): LightRun => ({
  ...lightRun({ id, name: id, parent_run_id: parent, start_time: 1_000, end_time: 2_000, run_type: 'chain' }),
  ...more,
})
const all: TreeOptions = { closed: new Set(), isErrorsFirst: false, hasHidden: false, query: '' }
const shown = (tree: TraceTree, options: Partial<TreeOptions> = {}) =>
  tree.rows({ ...all, ...options }).map(({ node, depth }) => `${'.'.repeat(depth)}${node.run.id}`)

const tree = (...runs: LightRun[]) => {
  const made = new TraceTree()
  for (const one of runs) made.add([one])
  return made
}

test.each([
  ['Error: AbortError: The run was cancelled.', 'cancelled'],
  ['AbortError', 'cancelled'],
  ['The operation was aborted\n\nAbortError: The operation was aborted\n    at x', 'cancelled'],
  ['interrupt\n\nError: interrupt\n    at x', 'cancelled'],
  ['[{"value":"ok?"}]\n\nGraphInterrupt: [{"value":"ok?"}]', 'interrupted'],
  ['GraphInterrupt: [{"value":"ok?"}]', 'interrupted'],
  ['Error: The order was cancelled by the bank.', 'error'],
  [null, 'error'],
])('a tracer’s error %j has the status %s', (error, status) => {
  expect(lightRun({ id: 'a', status: 'error', error }).status).toBe(status)
  expect(lightRun({ id: 'a', status: 'success', error }).status).toBe('success')
})

test('a cancel or a question that a tracer logs as an error is none', () => {
  const errorOf = (error: string) => lightRun({ id: 'a', status: 'error', error }).error
  expect(errorOf('Abort\n\nError: Abort\n    at stop (/srv/agent/runs/stop.mjs:1:1)')).toBeNull()
  expect(errorOf('GraphInterrupt: []')).toBeNull()
  expect(errorOf('Error: No such order')).toBe('Error: No such order')
})

test('a tree is the same in whatever order its runs come', () => {
  const runs = [run('a'), run('b', 'a'), run('c', 'b'), run('d', 'c')]
  expect(shown(tree(...runs))).toEqual(['a', '.b', '..c', '...d'])
  expect(shown(tree(...runs.toReversed()))).toEqual(['a', '.b', '..c', '...d'])
  expect(shown(tree(...runs, run('c', 'b')))).toEqual(['a', '.b', '..c', '...d'])
})

test('sums include models only, and are the same whether runs arrive at once, one by one, or change later', () => {
  const llm = (id: string, more: Partial<LightRun>) => run(id, 'a', { type: 'llm', model: 'm', ...more })
  const runs = [
    run('a', null, { tokens: 99, cost: '9' }),
    llm('b', { tokens: 3, tokensIn: 2, tokensOut: 1, cached: 5, reasoning: 1, firstToken: 20 }),
    llm('c', { tokens: 4, tokensIn: 4, reasoning: 2, audioIn: 3, firstToken: 10 }),
    llm('d', { tokens: 5, cost: '0.5' }),
  ]
  const sums = {
    ...{ models: 3, tokens: 12, logged: 0.5, firstTokenAt: 1_010 },
    ...{ cached: 5, cacheWritten: null, reasoning: 3, audioIn: 3, audioOut: null },
    calls: [expect.objectContaining({ model: 'm', run_count: 2, prompt_tokens: 6, cache_read_tokens: 2 })],
  }
  const of = ({ sums: { calls, ...rest } }: TraceTree) => ({ ...rest, calls: [...calls.values()] })
  expect(of(tree(...runs))).toEqual(sums)
  const changed = tree(llm('b', { tokens: 1 }), ...runs.slice(2))
  expect(of(changed)).toMatchObject({ tokens: 10 })
  changed.add(runs)
  expect(of(changed)).toMatchObject({ ...sums, calls: sums.calls })
})

test('a parent shows the sums of all below it, the same in its row and alone', () => {
  const llm = (id: string, parent: string, tokens: number) => run(id, parent, { type: 'llm', tokens, tokensIn: tokens })
  const made = tree(run('a'), run('b', 'a'), llm('c', 'b', 3), llm('d', 'b', 4), llm('e', 'a', 5), llm('f', 'e', 6))
  const rows = made.rows({ closed: new Set(), isErrorsFirst: false, hasHidden: false, query: '' })
  const sums = rows.map(({ node, sums }) => [node.run.id, sums?.tokens, sums?.models])
  expect(sums).toEqual([
    ['a', 18, 4],
    ['b', 7, 2],
    ['c', undefined, undefined],
    ['d', undefined, undefined],
    ['e', 11, 2],
    ['f', undefined, undefined],
  ])
  for (const { node, sums } of rows) if (sums) expect(sumsOf(node)).toEqual(sums)
})

test('a run whose parent was never logged is shown and says so, once all is there', () => {
  const made = tree(run('a'), run('x', 'gone'))
  expect(shown(made)).toEqual(['a', 'x'])
  const node = made.nodes.get('x')
  expect(node && flagsOf(node, { isWhole: false, isOver: true })).toEqual([])
  expect(node && flagsOf(node, { isWhole: true, isOver: true }).map(({ kind }) => kind)).toEqual(['missing-parent'])
})

test('parents in a cycle lose no run', () => {
  expect(shown(tree(run('a', 'c'), run('b', 'a'), run('c', 'b'))).toSorted()).toHaveLength(3)
  expect(shown(tree(run('a', 'a')))).toEqual(['a'])
})

test('clocks that go backwards and missing ends are reported', () => {
  const made = tree(
    run('a'),
    run('b', 'a', { start: 500 }),
    run('c', 'a', { end: 10 }),
    run('d', 'a', { status: 'pending', end: null }),
  )
  const kinds = (isOver: boolean) =>
    ['b', 'c', 'd'].map((id) => {
      const node = made.nodes.get(id)
      return node && flagsOf(node, { isWhole: true, isOver }).map(({ kind }) => kind)
    })
  expect(kinds(true)).toEqual([['clock'], ['clock'], ['open']])
  expect(kinds(false)).toEqual([['clock'], ['clock'], []])
})

describe('visible rows', () => {
  const made = tree(
    run('a'),
    run('good', 'a'),
    run('hidden', 'a', { isHidden: true }),
    run('inner', 'hidden'),
    run('bad', 'a'),
    run('worse', 'bad', { status: 'error', error: 'No such file' }),
  )
  test('list failed runs and their ancestors first on request', () => {
    expect(shown(made, { isErrorsFirst: true })).toEqual(['a', '.bad', '..worse', '.good', '.inner'])
    expect(made.rows(all)[0]?.errors).toBe(1)
  })
  test('include those below a hidden run, and the hidden run itself on request', () => {
    expect(shown(made)).toEqual(['a', '.good', '.inner', '.bad', '..worse'])
    expect(shown(made, { hasHidden: true })).toContain('.hidden')
  })
  test('exclude those below a closed run', () => {
    expect(shown(made, { closed: new Set(['bad']) })).not.toContain('..worse')
  })
  test('of a search include all ancestors, closed or not', () => {
    expect(shown(made, { query: 'NO SUCH', closed: new Set(['bad']) })).toEqual(['a', '.bad', '..worse'])
  })
})

test('25,000 runs in one chain are walked without recursion', () => {
  const made = new TraceTree()
  made.add(Array.from({ length: 25_000 }, (_, n) => run(`r${n}`, n === 0 ? null : `r${n - 1}`)))
  expect(made.rows({ ...all, isErrorsFirst: true }).at(-1)?.depth).toBe(24_999)
})

test('lines built step by step while runs arrive are listed once each, parents before children', () => {
  const made = new TraceTree()
  made.add(Array.from({ length: 3_000 }, (_, n) => run(`r${n}`, n === 0 ? null : `r${n % 7 ? n - 1 : 'gone'}`)))
  const steps = made.rowSteps(all)
  let count = 0
  for (let step = steps.next(); ; step = steps.next()) {
    if (!step.done) {
      // Includes the parent that many wait for, which then is a root.
      made.add([run(`later${count}`, `r${count * 9}`), ...(++count === 3 ? [run('rgone', 'r0')] : [])])
      continue
    }
    const ids = step.value.map(({ node }) => node.run.id)
    expect(new Set(ids).size).toBe(ids.length)
    break
  }
  expect(count).toBeGreaterThan(10)
  expect(new Set(shown(made)).size).toBe(made.size)
})

test('tools and services have costs of their own; those of a chain, or a tool with tokens, are copies', () => {
  const usd = (id: string, type: string, cost: string, tokens: number | null = null) =>
    run(id, 'a', { type, cost, tokens })
  const made = tree(
    run('a', null, { cost: '9', tokens: 5 }),
    usd('b', 'llm', '1', 5),
    usd('c', 'tool', '0.25'),
    usd('d', 'tool', '1', 5),
    usd('e', 'embedding', '0.5', 80),
    usd('f', 'retriever', '0.125'),
  )
  expect(made.sums).toMatchObject({ logged: 1.875, tokens: 85 })
})

test('the cost of a chain counts if nothing below it calls a model or costs', () => {
  const usd = (id: string, parent: string | null, type: string, cost: string | null) => run(id, parent, { type, cost })
  const logged = (...runs: LightRun[]) => {
    const made = tree(...runs)
    const top = made.rows(all).find(({ node }) => node.run.id === 'a')
    expect(top?.sums?.logged ?? made.sums.logged).toBe(made.sums.logged)
    expect(sumsOf(made.nodes.get('a') as TreeNode).logged).toBe(made.sums.logged)
    return made.sums.logged
  }
  expect(logged(usd('a', null, 'chain', '2'))).toBe(2)
  expect(logged(usd('a', null, 'chain', '2'), usd('b', 'a', 'chain', null))).toBe(2)
  expect(logged(usd('a', null, 'chain', '2'), usd('b', 'a', 'parser', '0.5'))).toBe(0.5)
  expect(logged(usd('a', null, 'chain', '2'), usd('b', 'a', 'chain', null), usd('c', 'b', 'llm', null))).toBe(null)
  expect(logged(usd('a', null, 'tool', '2'), usd('b', 'a', 'llm', '1'))).toBe(3)
  // Pages may arrive in any order, and a run may be told again.
  const later = tree(usd('a', null, 'chain', '2'))
  later.add([usd('b', 'a', 'tool', '1')])
  expect(later.sums.logged).toBe(1)
  later.add([usd('b', 'a', 'tool', null)])
  expect(later.sums.logged).toBe(2)
})

test('fields that a server omits are derived from the rest, and no cost or count is invented', () => {
  const hosted = lightRun({
    id: 'r',
    start_time: '2026-01-01T00:00:00',
    end_time: '2026-01-01T00:00:02',
    first_token_time: '2026-01-01T00:00:00.250',
    extra: { metadata: { ls_model_name: 'm', ls_provider: 'p', thread_id: 't' } },
    total_tokens: 0,
    total_cost: '0',
  })
  expect(hosted).toMatchObject({ latency: 2_000, firstToken: 250, model: 'm', provider: 'p', thread: 't' })
  expect([hosted.tokens, hosted.cost, hosted.status]).toEqual([null, null, 'success'])
})
