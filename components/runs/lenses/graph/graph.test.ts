import { expect, test } from 'vitest'
import { placeGraph } from '@/components/shared/layout/graph-layout'
import { Steps } from '@/lib/stream/steps'
import { nodeStates } from './node-state'

const graph = (...edges: string[]) => {
  const pairs = edges.map((edge) => edge.split('>') as [string, string])
  const ids = [...new Set(pairs.flat())]
  return placeGraph(
    ids.map((id) => ({ id })),
    pairs.map(([from, to]) => ({ from, to, isConditional: false })),
  )
}
const yOf = (placed: ReturnType<typeof placeGraph>, id: string) => placed.nodes.find((node) => node.id === id)?.y ?? -1

test('each node is placed below its predecessors, and no two overlap', () => {
  const placed = graph('start>a', 'start>b', 'a>c', 'b>c', 'start>c', 'c>end')
  expect(yOf(placed, 'a')).toBe(yOf(placed, 'b'))
  expect(yOf(placed, 'c')).toBeGreaterThan(yOf(placed, 'a'))
  expect(yOf(placed, 'end')).toBeGreaterThan(yOf(placed, 'c'))
  expect(new Set(placed.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(5)
})

test('a loop, even of one node, is drawn beside the others', () => {
  const placed = graph('start>look', 'look>look', 'look>plan', 'plan>look', 'look>end')
  expect(placed.edges.filter(({ isBack }) => isBack).map(({ from, to }) => `${from}>${to}`)).toEqual([
    'look>look',
    'plan>look',
  ])
  expect(yOf(placed, 'plan')).toBeGreaterThan(yOf(placed, 'look'))
  const look = placed.nodes.find(({ id }) => id === 'look')
  const [at, ...ends] =
    (placed.edges.find(({ from, to }) => from === to)?.path ?? '').match(/[\d.]+/g)?.map(Number) ?? []
  expect(at).toBe((look?.x ?? 0) + 168)
  expect(ends.at(-2)).toBe(at)
})

test('a chain of ten thousand nodes and dangling edges are placed', () => {
  const chain = Array.from({ length: 10_000 }, (_, at) => `n${at}>n${at + 1}`)
  expect(graph(...chain).nodes).toHaveLength(10_001)
  expect(placeGraph([{ id: 'a' }], [{ from: 'a', to: 'gone', isConditional: false }]).edges).toEqual([])
})

test('nodes are placed in the box of their own subgraph only, nested ones included', () => {
  const { nodes, groups } = graph('start>a', 'a>sub:x', 'sub:x>sub:deep:y', 'sub:deep:y>sub:z', 'sub:z>end', 'a>end')
  const inside = (id: string) =>
    nodes.filter(({ x, y }) => {
      const box = groups.find((group) => group.id === id)
      return box && x >= box.x && y >= box.y && x + 168 <= box.x + box.width && y + 44 <= box.y + box.height
    })
  expect(groups.map(({ id }) => id)).toEqual(['sub', 'sub:deep'])
  expect(inside('sub').map(({ id }) => id)).toEqual(['sub:x', 'sub:deep:y', 'sub:z'])
  expect(inside('sub:deep').map(({ id }) => id)).toEqual(['sub:deep:y'])
})

test('every edge is drawn, including parallel edges and edges into a subgraph', () => {
  const placed = graph('a>b', 'a>b', 'b>a', 'b>b:c', 'b:c>end')
  expect(placed.edges).toHaveLength(5)
  for (const { path } of placed.edges) expect(path).toMatch(/^M[\d. -]+ [QL]/)
})

test('a node is running while a node in its subgraph is running', () => {
  const steps = new Steps()
  const at = (node: string, seq: number, inside?: string) => ({
    node,
    namespace: inside ? [{ node: inside, task: 't' }] : [],
    path: inside ?? '',
    seq,
    at: seq,
  })
  steps.start(at('look', 1), 't')
  steps.start(at('write', 2, 'look'), 'w')
  expect(nodeStates(steps).get('look')).toMatchObject({ status: 'running', inside: ['write'], times: 1 })
  steps.finish(at('write', 3, 'look'), 'w', 'done')
  steps.finish(at('look', 4), 't', 'error')
  expect(nodeStates(steps).get('look')).toMatchObject({ status: 'error', inside: [] })
  // At an earlier entry, nodes are as they were then.
  expect(nodeStates(steps, 4).get('look')).toMatchObject({ status: 'error', inside: [], times: 1 })
  expect(nodeStates(steps, 2).get('look')).toMatchObject({ status: 'running', inside: ['write'] })
  expect(nodeStates(steps, 1).get('look')).toMatchObject({ status: 'running', inside: [], times: 1 })
  expect(nodeStates(steps, 0).size).toBe(0)
})
