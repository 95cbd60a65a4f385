import { expect, test } from 'vitest'
import { Steps } from '@/lib/stream/steps'
import { placeGraph } from './layout'
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

test('each node stands below all that lead to it, and no two on one place', () => {
  const placed = graph('start>a', 'start>b', 'a>c', 'b>c', 'start>c', 'c>end')
  expect(yOf(placed, 'a')).toBe(yOf(placed, 'b'))
  expect(yOf(placed, 'c')).toBeGreaterThan(yOf(placed, 'a'))
  expect(yOf(placed, 'end')).toBeGreaterThan(yOf(placed, 'c'))
  expect(new Set(placed.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(5)
})

test('a loop, also of one node, goes back up beside the others', () => {
  const placed = graph('start>look', 'look>look', 'look>plan', 'plan>look', 'look>end')
  expect(placed.edges.filter(({ isBack }) => isBack).map(({ from, to }) => `${from}>${to}`)).toEqual([
    'look>look',
    'plan>look',
  ])
  expect(yOf(placed, 'plan')).toBeGreaterThan(yOf(placed, 'look'))
})

test('a chain of ten thousand nodes and edges to nowhere are placed too', () => {
  const chain = Array.from({ length: 10_000 }, (_, at) => `n${at}>n${at + 1}`)
  expect(graph(...chain).nodes).toHaveLength(10_001)
  expect(placeGraph([{ id: 'a' }], [{ from: 'a', to: 'gone', isConditional: false }]).edges).toEqual([])
})

test('a node runs while something in its subgraph runs', () => {
  const steps = new Steps()
  const at = (node: string, seq: number, inside?: string) => ({
    node,
    namespace: inside ? [{ node: inside, task: 't' }] : [],
    path: inside ?? '',
    seq,
    at: seq,
  })
  steps.start(at('look', 1), 't', false)
  steps.start(at('write', 2, 'look'), 'w', false)
  expect(nodeStates(steps).get('look')).toMatchObject({ status: 'running', inside: ['write'], times: 1 })
  steps.finish(at('write', 3, 'look'), 'w', 'done')
  steps.finish(at('look', 4), 't', 'error')
  expect(nodeStates(steps).get('look')).toMatchObject({ status: 'error', inside: [] })
})
