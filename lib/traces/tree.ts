import { countsCost, isModelCall, type LightRun } from './light-run'
import { addRun, addSums, isPaid, noSums, plus, type TreeSums } from './tree-sums'

/**
 * The runs of a trace as a tree that grows page by page. Every logged run appears: one without its parent is at the top
 * until that arrives, and cycles of parents are cut where they close.
 */

export type TreeNode = { run: LightRun; parent: TreeNode | undefined; children: TreeNode[] }
export type TreeRow = {
  node: TreeNode
  /** Number of visible ancestors. */
  depth: number
  /** Number of failed runs below it. */
  errors: number
  /** Of the run and all below it; undefined if there is none below. */
  sums: TreeSums | undefined
  hasChildren: boolean
  isOpen: boolean
  /** It matches the search itself, rather than having a match below it. */
  isFound: boolean
}
export type TreeOptions = {
  closed: ReadonlySet<string>
  /** Siblings that failed, or contain a failed run, come first. */
  isErrorsFirst: boolean
  /** Also shows runs logged as hidden; otherwise only their children. */
  hasHidden: boolean
  query: string
}
export type TreeFlag = { kind: 'missing-parent' | 'clock' | 'open'; text: string }

/** Runs between two checks of the clock: less than a millisecond of work. */
const STEP = 500

/** Clocks of two machines differ, and SDKs order siblings by microseconds. */
const TOLERANCE_MS = 1

export class TraceTree {
  readonly nodes = new Map<string, TreeNode>()
  readonly #roots = new Set<TreeNode>()
  /** Runs whose parent has not arrived, by its id. */
  readonly #waiting = new Map<string, TreeNode[]>()
  start = Number.POSITIVE_INFINITY
  end = Number.NEGATIVE_INFINITY
  hiddenCount = 0
  errorCount = 0
  #sums = noSums()
  #areSumsOld = false
  /** Runs whose cost counts only if nothing below them costs; not in `#sums`. */
  readonly #payers = new Set<TreeNode>()
  /** Sums of parents; undefined if runs have arrived since. */
  #below: Map<TreeNode, TreeSums> | undefined
  #version = 0

  get size(): number {
    return this.nodes.size
  }
  get root(): TreeNode | undefined {
    for (const node of this.#roots) if (node.run.parent === null) return node
    for (const node of this.#roots) return node
    return undefined
  }

  /** Adds or updates runs. */
  add(runs: readonly LightRun[]): void {
    this.#below = undefined
    this.#version++
    for (const run of runs) {
      const known = this.nodes.get(run.id)
      if (run.start !== null) {
        this.start = Math.min(this.start, run.start)
        this.end = Math.max(this.end, run.start, run.end ?? run.start)
      }
      if (known) {
        this.errorCount += Number(run.status === 'error') - Number(known.run.status === 'error')
        known.run = run
        this.#areSumsOld = true
        continue
      }
      if (run.status === 'error') this.errorCount++
      if (run.isHidden) this.hiddenCount++
      const node: TreeNode = { run, parent: undefined, children: [] }
      this.#addToSums(node)
      this.nodes.set(run.id, node)
      this.#roots.add(node)
      this.#place(node)
      for (const child of this.#waiting.get(run.id) ?? []) this.#link(child, node)
      this.#waiting.delete(run.id)
    }
  }

  /** Updated as runs arrive, because a large trace has many pages; computed again if a known run changed. */
  get sums(): TreeSums {
    if (this.#areSumsOld) {
      this.#sums = noSums()
      this.#payers.clear()
      for (const node of this.nodes.values()) this.#addToSums(node)
      this.#areSumsOld = false
    }
    let { logged } = this.#sums
    for (const node of this.#payers) if (!isPaidBelow(node)) logged = plus(logged, Number(node.run.cost))
    return { ...this.#sums, logged }
  }

  #addToSums(node: TreeNode): void {
    addRun(this.#sums, node.run, () => true)
    if (countsCost(node.run) === 'alone') this.#payers.add(node)
  }

  #place(node: TreeNode): void {
    const { parent } = node.run
    if (parent === null) return
    const above = this.nodes.get(parent)
    if (above) this.#link(node, above)
    else {
      const others = this.#waiting.get(parent)
      if (others) others.push(node)
      else this.#waiting.set(parent, [node])
    }
  }

  #link(node: TreeNode, parent: TreeNode): void {
    // Only a run with children can close a cycle.
    if (node === parent) return
    if (node.children.length > 0)
      for (let above: TreeNode | undefined = parent; above; above = above.parent) if (above === node) return
    node.parent = parent
    parent.children.push(node)
    this.#roots.delete(node)
  }

  /** The visible rows in order. Linear in the number of runs. */
  rows(options: TreeOptions): TreeRow[] {
    const steps = this.rowSteps(options)
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
    }
  }

  /** Like `rows`, but yields between steps. Runs that arrive meanwhile may be missing. */
  *rowSteps({ closed, isErrorsFirst, hasHidden, query }: TreeOptions): Generator<undefined, TreeRow[]> {
    const version = this.#version
    const order = [...this.#roots]
    for (let index = 0; index < order.length; index++) {
      for (const child of (order[index] as TreeNode).children) order.push(child) // within its length
      if (index % STEP === 0) yield
    }
    const errors = new Map<TreeNode, number>()
    const found = query === '' ? undefined : new Set<TreeNode>()
    const above = new Set<TreeNode>()
    // The sums do not depend on the options, so that a search or a click does not add them up again.
    const hasSums = this.#below !== undefined
    const sums = this.#below ?? new Map<TreeNode, TreeSums>()
    const wanted = query.toLowerCase()
    for (let index = order.length - 1; index >= 0; index--) {
      if (index % STEP === 0) yield
      const node = order[index] as TreeNode // within its length
      const { parent } = node
      const isFound = found !== undefined && matches(node.run, wanted)
      if (isFound) found.add(node)
      if (!hasSums) addUp(node, sums)
      if (!parent) continue
      const own = (errors.get(node) ?? 0) + (node.run.status === 'error' ? 1 : 0)
      if (own > 0) errors.set(parent, (errors.get(parent) ?? 0) + own)
      if (isFound || above.has(node)) above.add(parent)
    }
    if (version === this.#version) this.#below = sums
    const hasError = (node: TreeNode) => node.run.status === 'error' || errors.has(node)
    const sorted = (list: readonly TreeNode[]): readonly TreeNode[] => {
      if (!found && !isErrorsFirst) return list
      const kept = list.filter((node) => !found || found.has(node) || above.has(node))
      return isErrorsFirst ? [...kept.filter(hasError), ...kept.filter((node) => !hasError(node))] : kept
    }
    const rows: TreeRow[] = []
    const nodes: TreeNode[] = []
    const depths: number[] = []
    const push = (list: readonly TreeNode[], depth: number) => {
      for (let index = list.length - 1; index >= 0; index--) {
        nodes.push(list[index] as TreeNode)
        depths.push(depth)
      }
    }
    for (const root of sorted([...this.#roots])) {
      if (root.parent) continue // its parent has arrived meanwhile
      push([root], 0)
      for (let node = nodes.pop(); node; node = nodes.pop()) {
        const depth = depths.pop() ?? 0
        const children = sorted(node.children)
        if (node.run.isHidden && !hasHidden) {
          push(children, depth)
          continue
        }
        const isOpen = found !== undefined || !closed.has(node.run.id)
        rows.push({
          node,
          depth,
          errors: errors.get(node) ?? 0,
          sums: sums.get(node),
          hasChildren: children.length > 0,
          isOpen,
          isFound: found?.has(node) ?? false,
        })
        if (isOpen) push(children, depth + 1)
        if (rows.length % STEP === 0) yield
      }
    }
    return rows
  }
}

function matches({ name, type, model, error, tags, id, status }: LightRun, wanted: string): boolean {
  if (name.toLowerCase().includes(wanted) || type === wanted || status === wanted || id === wanted) return true
  if (model?.toLowerCase().includes(wanted) || error?.toLowerCase().includes(wanted)) return true
  return tags.some((tag) => tag.toLowerCase().includes(wanted))
}

/** Adds a node, whose children are complete, to its own sums and to its parent's. */
function addUp(node: TreeNode, sums: Map<TreeNode, TreeSums>): void {
  const below = sums.get(node)
  if (below) addRun(below, node.run, () => isPaid(below))
  if (!node.parent) return
  let upper = sums.get(node.parent)
  if (!upper) {
    upper = noSums()
    sums.set(node.parent, upper)
  }
  if (below) addSums(upper, below)
  else addRun(upper, node.run, () => false)
}

/** Whether a run below this one calls a model or has a cost. */
export function isPaidBelow(node: TreeNode): boolean {
  const open = [...node.children]
  for (let one = open.pop(); one; one = open.pop()) {
    if (isModelCall(one.run.type) || countsCost(one.run) !== 'no') return true
    for (const child of one.children) open.push(child)
  }
  return false
}

/** The sums of a run and all below it. */
export function sumsOf(node: TreeNode): TreeSums {
  const sums = noSums()
  const open = [node]
  for (let one = open.pop(); one; one = open.pop()) {
    const node = one
    addRun(sums, node.run, () => isPaidBelow(node))
    for (const child of one.children) open.push(child)
  }
  return sums
}

/**
 * Anomalies of a run beyond its own status. `isWhole`: all runs of the trace have arrived; `isOver`: none of them is still
 * running.
 */
export function flagsOf(node: TreeNode, { isWhole, isOver }: { isWhole: boolean; isOver: boolean }): TreeFlag[] {
  const { run, parent } = node
  const flags: TreeFlag[] = []
  if (isWhole && run.parent !== null && !parent)
    flags.push({ kind: 'missing-parent', text: 'The run that this one names as its parent was not logged.' })
  if (run.start !== null && run.end !== null && run.end < run.start - TOLERANCE_MS)
    flags.push({ kind: 'clock', text: 'It ended before it started: a clock went backwards.' })
  const above = parent?.run.start ?? null
  if (run.start !== null && above !== null && run.start < above - TOLERANCE_MS)
    flags.push({ kind: 'clock', text: 'It started before its parent: their clocks differ.' })
  if (run.status === 'pending' && isOver) flags.push({ kind: 'open', text: 'Its end was not logged.' })
  return flags
}
