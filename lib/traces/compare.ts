import type { ModelCalls } from './cost'
import { callsOf, ownCost } from './light-run'
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

/** Two traces side by side, by the path of names; in the order of the first, what only the second has behind its brothers. */
export function comparePaths(a: TraceTree, b: TraceTree): ComparedPath[] {
  const left = sumsOf(a)
  const right = sumsOf(b)
  const rows: ComparedPath[] = []
  const add = (key: string, isBelow: string | undefined) => {
    const [one, other] = [left.get(key), right.get(key)]
    const known = one ?? other
    if (!known) return
    const row = { path: known.path, type: known.type, a: one?.sum, b: other?.sum }
    const at = isBelow === undefined ? -1 : rows.findLastIndex(({ path }) => isWithin(keyOf(path), isBelow))
    if (at === -1) rows.push(row)
    else rows.splice(at + 1, 0, row)
  }
  for (const key of left.keys()) add(key, undefined)
  for (const [key, { path }] of right) if (!left.has(key)) add(key, keyOf(path.slice(0, -1)))
  return rows
}

type Sums = Map<string, { path: readonly string[]; type: string; sum: PathSum }>

const keyOf = (path: readonly string[]): string => JSON.stringify(path)
/** Whether a path is another one, or below it. */
const isWithin = (key: string, above: string): boolean => key === above || key.startsWith(`${above.slice(0, -1)},`)

function sumsOf(tree: TraceTree): Sums {
  const sums: Sums = new Map()
  const paths = new Map<TreeNode, readonly string[]>()
  const wish = { closed: new Set<string>(), isErrorsFirst: false, hasHidden: true, query: '' }
  for (const { node } of tree.rows(wish)) {
    const { run, parent } = node
    const above = (parent && paths.get(parent)) ?? []
    const path = above.length >= MAX_DEPTH ? above : [...above, run.name]
    paths.set(node, path)
    const key = keyOf(path)
    const known = sums.get(key)
    const sum = known?.sum ?? { count: 0, errors: 0, latency: null, tokens: null, logged: null, calls: [], first: node }
    sum.count++
    if (run.status === 'error') sum.errors++
    if (run.latency !== null) sum.latency = (sum.latency ?? 0) + run.latency
    const cost = ownCost(run)
    if (cost !== null) sum.logged = (sum.logged ?? 0) + cost
    if (run.type === 'llm') {
      if (run.tokens !== null) sum.tokens = (sum.tokens ?? 0) + run.tokens
      sum.calls.push(...callsOf(run))
    }
    if (!known) sums.set(key, { path, type: run.type, sum })
  }
  return sums
}
