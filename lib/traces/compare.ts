import type { ModelCalls } from './cost'
import { callsOf, isModelCall, ownCost } from './light-run'
import { isPaidBelow, type TraceTree, type TreeNode } from './tree'

/** Totals of a trace's runs with the same path of names. */
export type PathSum = {
  count: number
  errors: number
  /** Milliseconds; null if none has ended. */
  latency: number | null
  /** Of model runs only. */
  tokens: number | null
  /** Logged costs that repeat no others, and model calls without one. */
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

/** Deeper paths are merged: a chain of thousands of runs would have as many long paths. */
const MAX_DEPTH = 64

/**
 * A path of names with the paths below it: in the order of the first trace, followed by those that only the second one
 * has.
 */
type PathNode = ComparedPath & { below: Map<string, PathNode> }

/**
 * Compares two traces by paths of names. Siblings of the first trace come first; yields between steps, so that a page
 * stays responsive.
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

/** Runs between two checks of the clock. */
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
  const options = { closed: new Set<string>(), isErrorsFirst: false, hasHidden: true, query: '' }
  const rows = yield* tree.rowSteps(options)
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
    addRun(place[side], node)
  }
}

function addRun(sum: PathSum, node: TreeNode): void {
  const { run } = node
  sum.count++
  if (run.status === 'error') sum.errors++
  if (run.latency !== null) sum.latency = (sum.latency ?? 0) + run.latency
  const cost = ownCost(run, () => isPaidBelow(node))
  if (cost !== null) sum.logged = (sum.logged ?? 0) + cost
  if (!isModelCall(run.type)) return
  if (run.tokens !== null) sum.tokens = (sum.tokens ?? 0) + run.tokens
  sum.calls.push(...callsOf(run))
}
