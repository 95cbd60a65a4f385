import { isContainer, type JsonPath, keysOf, sizeOf, valueAt } from './json-value'

/** One visible line of a tree. */
export type JsonRow = {
  path: JsonPath
  key: string | number | undefined
  value: unknown
  depth: number
  isOpen: boolean
  /** Entries of a container. */
  size: number
  /** Place among its siblings, from 1. */
  position: number
  siblings: number
}

type OpenNode = {
  value: object
  /** Undefined for arrays: the position is the key. */
  keys: string[] | undefined
  size: number
  /** Open children by their position, in order. */
  open: { at: number; node: OpenNode }[]
  /** Visible lines below this node. */
  rows: number
}

const FIRST_ROWS = 40

/**
 * Which parts of a value are open, and what stands on each visible line. A line is found by walking down the open
 * nodes, so opening an array of a million entries costs no more than one of ten: nothing is flattened or copied.
 */
export class JsonTree {
  readonly value: unknown
  #root: OpenNode | undefined

  constructor(value: unknown) {
    this.value = value
    this.#root = isContainer(value) ? createNode(value) : undefined
  }

  /** A tree with its first levels open, as many as fit into a screenful. */
  static withFirstLevelsOpen(value: unknown, rows = FIRST_ROWS): JsonTree {
    const tree = new JsonTree(value)
    tree.openBelow([], rows)
    return tree
  }

  /** The same paths open over another value, as far as they exist there. */
  over(value: unknown): JsonTree {
    if (!isContainer(value) || !isContainer(this.value)) return JsonTree.withFirstLevelsOpen(value)
    const tree = new JsonTree(value)
    tree.#root = this.#root && transfer(this.#root, value)
    return tree
  }

  get rowCount(): number {
    return 1 + (this.#root?.rows ?? 0)
  }

  /** The line at an index below `rowCount`. */
  rowAt(index: number): JsonRow | undefined {
    if (index < 0 || index >= this.rowCount) return undefined
    if (index === 0) {
      const size = isContainer(this.value) ? sizeOf(this.value) : 0
      return {
        path: [],
        key: undefined,
        value: this.value,
        depth: 0,
        isOpen: !!this.#root,
        size,
        position: 1,
        siblings: 1,
      }
    }
    let node = this.#root
    let rest = index - 1
    const path: (string | number)[] = []
    while (node) {
      let above = 0
      let next: OpenNode | undefined
      for (const child of node.open) {
        const line = child.at + above
        if (rest <= line) break
        if (rest <= line + child.node.rows) {
          path.push(keyAt(node, child.at))
          rest -= line + 1
          next = child.node
          break
        }
        above += child.node.rows
      }
      if (next) {
        node = next
        continue
      }
      return this.#row(node, rest - above, path)
    }
    return undefined
  }

  /** The line of a path, undefined while one of its ancestors is closed. */
  indexOf(path: JsonPath): number | undefined {
    let node = this.#root
    let index = 0
    for (const key of path) {
      if (!node) return undefined
      const at = positionOf(node, key)
      if (at === undefined) return undefined
      index += 1 + at
      let next: OpenNode | undefined
      for (const child of node.open) {
        if (child.at === at) next = child.node
        if (child.at >= at) break
        index += child.node.rows
      }
      node = next
    }
    return index
  }

  isOpen(path: JsonPath): boolean {
    return !!this.#nodeAt(path)
  }

  /** Opens a container and all that it stands in. */
  open(path: JsonPath): void {
    if (!this.#root && isContainer(this.value)) this.#root = createNode(this.value)
    const trail: OpenNode[] = []
    let node = this.#root
    for (const key of path) {
      const at = node && positionOf(node, key)
      if (!node || at === undefined) return
      trail.push(node)
      let next = node.open.find((child) => child.at === at)?.node
      if (!next) {
        const value = (node.value as Record<string | number, unknown>)[key]
        if (!isContainer(value)) return
        next = createNode(value)
        insert(node.open, { at, node: next })
        for (const ancestor of trail) ancestor.rows += next.rows
      }
      node = next
    }
  }

  close(path: JsonPath): void {
    if (path.length === 0) {
      this.#root = undefined
      return
    }
    const parent = this.#nodeAt(path.slice(0, -1))
    const at = parent && positionOf(parent, path.at(-1) as string | number) // the path is not empty
    const index = parent?.open.findIndex((child) => child.at === at) ?? -1
    const [closed] = index === -1 ? [] : (parent?.open.splice(index, 1) ?? [])
    if (!closed) return
    let node = this.#root
    for (const key of path.slice(0, -1)) {
      if (!node) return
      node.rows -= closed.node.rows
      const position = positionOf(node, key)
      node = node.open.find((child) => child.at === position)?.node
    }
    if (node) node.rows -= closed.node.rows
  }

  toggle(path: JsonPath): void {
    if (this.isOpen(path)) this.close(path)
    else this.open(path)
  }

  /** Opens level by level below a path until about `rows` lines are visible below it; at least the container itself. */
  openBelow(path: JsonPath, rows: number): void {
    this.open(path)
    const before = this.rowCount
    const queue: JsonPath[] = [path]
    for (let next = queue.shift(); next; next = queue.shift()) {
      const node = this.#nodeAt(next)
      if (!node) continue
      for (let at = 0; at < Math.min(node.size, rows); at++) {
        const key = keyAt(node, at)
        const child = (node.value as Record<string | number, unknown>)[key]
        if (!isContainer(child)) continue
        if (this.rowCount - before + sizeOf(child) > rows) return
        const below = [...next, key]
        this.open(below)
        queue.push(below)
      }
    }
  }

  #nodeAt(path: JsonPath): OpenNode | undefined {
    let node = this.#root
    for (const key of path) {
      if (!node) return undefined
      const at = positionOf(node, key)
      node = node.open.find((child) => child.at === at)?.node
    }
    return node
  }

  #row(node: OpenNode, at: number, parent: (string | number)[]): JsonRow {
    const key = keyAt(node, at)
    const value = (node.value as Record<string | number, unknown>)[key]
    return {
      path: [...parent, key],
      key,
      value,
      depth: parent.length + 1,
      isOpen: node.open.some((child) => child.at === at),
      size: isContainer(value) ? sizeOf(value) : 0,
      position: at + 1,
      siblings: node.size,
    }
  }
}

function createNode(value: object): OpenNode {
  const keys = Array.isArray(value) ? undefined : keysOf(value)
  const size = sizeOf(value)
  return { value, keys, size, open: [], rows: size }
}

/** The open parts of `from` over another value. */
function transfer(from: OpenNode, value: object): OpenNode {
  const node = createNode(value)
  for (const child of from.open) {
    const key = keyAt(from, child.at)
    const at = positionOf(node, key)
    const below = at === undefined ? undefined : valueAt(value, [key])
    if (at === undefined || !isContainer(below)) continue
    const moved = transfer(child.node, below)
    insert(node.open, { at, node: moved })
    node.rows += moved.rows
  }
  return node
}

const keyAt = (node: OpenNode, at: number): string | number => node.keys?.[at] ?? at

function positionOf(node: OpenNode, key: string | number): number | undefined {
  const at = node.keys ? node.keys.indexOf(String(key)) : Number(key)
  return at >= 0 && at < node.size ? at : undefined
}

function insert(open: OpenNode['open'], child: OpenNode['open'][number]): void {
  const index = open.findIndex((one) => one.at > child.at)
  open.splice(index === -1 ? open.length : index, 0, child)
}
