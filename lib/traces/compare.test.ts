import { expect, test } from 'vitest'
import { comparePaths } from './compare'
import { lightRun } from './light-run'
import { TraceTree } from './tree'

const compared = (a: TraceTree, b: TraceTree) => {
  const steps = comparePaths(a, b)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
const tree = (...runs: [id: string, parent: string | null, name: string, more?: object][]) => {
  const made = new TraceTree()
  made.add(
    runs.map(([id, parent, name, more]) => {
      const times = { start_time: 1_000, end_time: 1_500 }
      return lightRun({ id, name, parent_run_id: parent, run_type: 'chain', ...times, ...more })
    }),
  )
  return made
}

test('runs with the same path of names are counted together, and new ones follow their siblings', () => {
  const llm = { run_type: 'llm', total_tokens: 7 }
  const a = tree(['1', null, 'chat'], ['2', '1', 'agent'], ['3', '2', 'model', llm], ['4', '1', 'end'])
  const b = tree(
    ['1', null, 'chat'],
    ['2', '1', 'agent'],
    ['3', '2', 'model', llm],
    ['4', '2', 'model', { ...llm, error: 'x' }],
    ['5', '2', 'tool'],
  )
  const rows = compared(a, b).map(({ path, a: one, b: other }) => [path.join('/'), one?.count, other?.count])
  expect(rows).toEqual([
    ['chat', 1, 1],
    ['chat/agent', 1, 1],
    ['chat/agent/model', 1, 2],
    ['chat/agent/tool', undefined, 1],
    ['chat/end', 1, undefined],
  ])
  const model = compared(a, b)[2]
  expect(model?.b).toMatchObject({ count: 2, errors: 1, tokens: 14, latency: 1_000 })
})

test('names that contain path characters stay names', () => {
  const rows = compared(tree(['1', null, 'a","b']), tree(['1', null, 'a'], ['2', '1', 'b']))
  expect(rows.map(({ path }) => path)).toEqual([['a","b'], ['a'], ['a', 'b']])
})

test('two traces with thousands of differing names are compared in short steps', () => {
  const chain = (mark: string) =>
    tree(
      ['root', null, 'chat'],
      ...Array.from(
        { length: 10_000 },
        (_, index) => [`${index}`, 'root', `${mark} ${index}`] as [string, string, string],
      ),
    )
  const steps = comparePaths(chain('a'), chain('b'))
  for (let count = 1; ; count++) {
    const { done, value } = steps.next()
    if (!done) continue
    expect(value).toHaveLength(20_001)
    expect(value[10_001]).toMatchObject({ path: ['chat', 'b 0'], a: undefined })
    expect(count).toBeGreaterThan(100)
    break
  }
})
