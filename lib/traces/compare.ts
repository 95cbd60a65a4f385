import type { ModelCalls } from './cost'
import { callsOf, type LightRun, ownCost } from './light-run'
import type { TraceTree, TreeNode } from './tree'

/** What the runs of one trace that stand under the same path of names took together. */
export type PathSum = {
  count: number
  errors: number
  /** Milliseconds; null where none of them ended. */
  latency: number | null
  /** Of runs of models only. */
  tokens: number | null
  /** What was logged of the cost of models, tools and services, and the calls of models whose cost was not. */
  logged: number | null
  calls: ModelCalls[]
  first: TreeNode
}
export type ComparedPath = {
  /** Names from the root down. */
  path: readonly string[]
  type: string
  a: PathSum | undefined
  b: PathSum | undefined
}

/** Deeper than this, paths are not told apart: a chain of thousands would have as many names each. */
const MAX_DEPTH = 64

/** A path of names, and the paths that go on from it: in the order of the first trace, what only the second has behind them. */
type PathNode = ComparedPath & { below: Map<string, PathNode> }

/**
 * Two traces side by side, by the path of names; of brothers, those of the first trace come first. As steps, for those who
 * have other things to do between them.
 */
export function* comparePaths(a: TraceTree, b: TraceTree): Generator<undefined, ComparedPath[]> {
  const top = pathNode([], '')
  yield* addRuns(top, a, 'a')
  yield* addRuns(top, b, 'b')
  const rows: ComparedPath[] = []
  const open = [...top.below.values()].reverse()
  for (let node = open.pop(); node; node = open.pop()) {
    rows.push(node)
    for (const below of [...node.below.values()].reverse()) open.push(below)
    if (rows.length % STEP === 0) yield
  }
  return rows
}

/** Runs between two looks at the clock. */
const STEP = 500

const pathNode = (path: readonly string[], type: string): PathNode => ({
  path,
  type,
  a: undefined,
  b: undefined,
  below: new Map(),
})

function* addRuns(top: PathNode, tree: TraceTree, side: 'a' | 'b'): Generator<undefined, void> {
  const places = new Map<TreeNode, PathNode>()
  const wish = { closed: new Set<string>(), isErrorsFirst: false, hasHidden: true, query: '' }
  const rows = yield* tree.rowSteps(wish)
  for (const [index, { node }] of rows.entries()) {
    if (index % STEP === 0) yield
    const { run, parent } = node
    const above = (parent && places.get(parent)) ?? top
    let place = above.path.length >= MAX_DEPTH ? above : above.below.get(run.name)
    if (!place) {
      place = pathNode([...above.path, run.name], run.type)
      above.below.set(run.name, place)
    }
    places.set(node, place)
    place[side] ??= { count: 0, errors: 0, latency: null, tokens: null, logged: null, calls: [], first: node }
    addRun(place[side], run)
  }
}

function addRun(sum: PathSum, run: LightRun): void {
  sum.count++
  if (run.status === 'error') sum.errors++
  if (run.latency !== null) sum.latency = (sum.latency ?? 0) + run.latency
  const cost = ownCost(run)
  if (cost !== null) sum.logged = (sum.logged ?? 0) + cost
  if (run.type !== 'llm') return
  if (run.tokens !== null) sum.tokens = (sum.tokens ?? 0) + run.tokens
  sum.calls.push(...callsOf(run))
}
