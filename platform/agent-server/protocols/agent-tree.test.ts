import { expect, test } from 'vitest'
import type { Hub } from '../runs/hub'
import type { RunRow } from '../runs/run-record'
import { agentTree } from './agent-tree'

type Stored = { event: string; data: string }
const stored = (method: string, namespace: string[], data: object, event = 'protocol'): Stored => ({
  event,
  data: JSON.stringify({ method, params: { namespace, data } }),
})
const lifecycle = (namespace: string[], event: string, graph_name: string) =>
  stored('lifecycle', namespace, { event, graph_name })

/** The tree of a run with these stored events, which are read page by page. */
function treeOf(status: string, ...pages: Stored[][]) {
  const hub = {
    async *stored(runId: string, after: number) {
      expect([runId, after]).toEqual(['r', -1])
      yield* pages
    },
  } as unknown as Hub
  return agentTree({ run_id: 'r', status, graph_id: 'agent' } as RunRow, hub)
}

test.each([
  ['pending', 'running'],
  ['running', 'running'],
  ['success', 'completed'],
  ['error', 'failed'],
  ['interrupted', 'interrupted'],
  ['timeout', 'interrupted'],
])('a run that is %s is shown as %s', async (status, shown) => {
  expect(await treeOf(status)).toEqual({ namespace: [], status: shown, graph_name: 'agent' })
})

test('subgraphs are below the graph that called them, with what happened to them last', async () => {
  const tree = await treeOf(
    'running',
    [
      { event: 'values', data: 'not read' },
      stored('messages', ['a:1'], { event: 'message-start' }),
      lifecycle(['a:1'], 'started', 'researcher'),
      lifecycle(['a:1', 'b:2'], 'started', 'think'),
    ],
    [
      lifecycle(['a:1', 'b:2'], 'completed', 'think'),
      lifecycle(['c:3'], 'started', 'writer'),
      lifecycle(['lost', 'd:4'], 'failed', 'orphan'),
    ],
  )
  expect(tree).toEqual({
    namespace: [],
    status: 'running',
    graph_name: 'agent',
    children: [
      {
        namespace: ['a:1'],
        status: 'started',
        graph_name: 'researcher',
        children: [{ namespace: ['a:1', 'b:2'], status: 'completed', graph_name: 'think' }],
      },
      { namespace: ['c:3'], status: 'started', graph_name: 'writer' },
      { namespace: ['lost', 'd:4'], status: 'failed', graph_name: 'orphan' },
    ],
  })
})

test('a stored event of the whole graph is its status', async () => {
  expect(await treeOf('running', [lifecycle([], 'completed', 'agent')])).toMatchObject({ status: 'completed' })
})
