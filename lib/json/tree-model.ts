import type { JsonPath } from '@/lib/json/difference'

/** Access to the parts of a value: parsed in memory, or offsets in a text. */
export interface Nodes<V> {
  isContainer(value: V): boolean
  /** Number of entries of a container; so far, if it is still being read. */
  size(value: V): number
  child(value: V, at: number): V
  keyAt(value: V, at: number): string | number
  /** The position of a key; undefined if there is none. */
  find(value: V, key: string | number): number | undefined
  /** Whether a container is complete. */
  isWhole(value: V): boolean
}

/** Positions from the root to a value. Unlike a path of keys, they are unique with duplicate keys. */
export type TreePosition = readonly number[]

/** One visible line of a tree. */
export type TreeRow<V> = {
  place: TreePosition
  key: string | number | undefined
  value: V
  depth: number
  isOpen: boolean
  /** Number of entries of a container. */
  size: number
  /** Position among its siblings, from 1. */
  position: number
  siblings: number
}

type OpenNode<V> = {
  value: V
  size: number
  /** Expanded children by their position, in order. */
  open: { at: number; node: OpenNode<V> }[]
  /** Number of visible lines below this node. */
  rows: number
}

export const FIRST_ROWS = 40

/**
 * The expanded parts of a value and its visible lines. A line is found by walking down the expanded nodes, so nothing
 * is flattened: an array of a million entries costs the same as one of ten.
 */
export class TreeModel<V> {
  #root: OpenNode<V> | undefined

  constructor(
    readonly nodes: Nodes<V>,
    readonly value: V,
  ) {
    this.#root = nodes.isContainer(value) ? this.#create(value) : undefined
  }

  /** Expands the same keys in another value, as far as they exist. */
  over(nodes: Nodes<V>, value: V): TreeModel<V> {
    const tree = new TreeModel(nodes, value)
    if (nodes.isContainer(value) && this.nodes.isContainer(this.value))
      tree.#root = this.#root && tree.#transfer(this.nodes, this.#root, value)
    else tree.openBelow([], FIRST_ROWS)
    return tree
  }

  get rowCount(): number {
    return 1 + (this.#root?.rows ?? 0)
  }

  /** The line at an index below `rowCount`. */
  rowAt(index: number): TreeRow<V> | undefined {
    if (index < 0 || index >= this.rowCount) return undefined
    const { nodes, value } = this
    if (index === 0) {
      const size = nodes.isContainer(value) ? nodes.size(value) : 0
      return { place: [], key: undefined, value, depth: 0, isOpen: !!this.#root, size, position: 1, siblings: 1 }
    }
    let node = this.#root
    let rest = index - 1
    const place: number[] = []
    while (node) {
      let above = 0
      let next: OpenNode<V> | undefined
      for (const child of node.open) {
        const line = child.at + above
        if (rest <= line) break
        if (rest <= line + child.node.rows) {
          place.push(child.at)
          rest -= line + 1
          next = child.node
          break
        }
        above += child.node.rows
      }
      if (!next) return this.#row(node, rest - above, place)
      node = next
    }
    return undefined
  }

  /** The line of a place; undefined while an ancestor is collapsed. */
  indexOf(place: TreePosition): number | undefined {
    let node = this.#root
    let index = 0
    for (const at of place) {
      if (!node || at >= node.size) return undefined
      index += 1 + at
      let next: OpenNode<V> | undefined
      for (const child of node.open) {
        if (child.at === at) next = child.node
        if (child.at >= at) break
        index += child.node.rows
      }
      node = next
    }
    return index
  }

  /** The keys that lead to a place. */
  pathOf(place: TreePosition): JsonPath {
    let { value } = this
    return place.map((at) => {
      const key = this.nodes.keyAt(value, at)
      value = this.nodes.child(value, at)
      return key
    })
  }

  /** The place of a path; undefined if it does not exist. */
  placeOf(path: JsonPath): TreePosition | undefined {
    const place: number[] = []
    let { value } = this
    for (const key of path) {
      const at = this.nodes.isContainer(value) ? this.nodes.find(value, key) : undefined
      if (at === undefined) return undefined
      place.push(at)
      value = this.nodes.child(value, at)
    }
    return place
  }

  valueAt(place: TreePosition): V {
    return place.reduce((value, at) => this.nodes.child(value, at), this.value)
  }

  isOpen(place: TreePosition): boolean {
    return !!this.#nodeAt(place)
  }

  /** Expands a container and its ancestors. */
  open(place: TreePosition): void {
    const { nodes, value } = this
    if (!this.#root && nodes.isContainer(value)) this.#root = this.#create(value)
    const trail: OpenNode<V>[] = []
    let firstNew = place.length + 1
    let node = this.#root
    for (const at of place) {
      if (!node || at >= node.size) break
      trail.push(node)
      let next = node.open.find((child) => child.at === at)?.node
      if (!next) {
        const child = nodes.child(node.value, at)
        if (!nodes.isContainer(child)) break
        next = this.#create(child)
        insert(node.open, { at, node: next })
        firstNew = Math.min(firstNew, trail.length)
      }
      node = next
      if (trail.length === place.length) trail.push(node)
    }
    // From the inside out in one pass; walking up from each new node would be quadratic in the depth.
    let added = 0
    for (let level = trail.length - 1; level >= 0; level--) {
      const one = trail[level] as OpenNode<V> // below its length
      one.rows += added
      if (level >= firstNew) added += one.size
    }
  }

  close(place: TreePosition): void {
    if (place.length === 0) {
      this.#root = undefined
      return
    }
    const trail = this.#trail(place.slice(0, -1))
    const parent = trail?.at(-1)
    const index = parent?.open.findIndex((child) => child.at === place.at(-1)) ?? -1
    const [closed] = index === -1 ? [] : (parent?.open.splice(index, 1) ?? [])
    if (closed) for (const node of trail ?? []) node.rows -= closed.node.rows
  }

  toggle(place: TreePosition): void {
    if (this.isOpen(place)) this.close(place)
    else this.open(place)
  }

  /** Expands level by level until about `rows` lines are visible below a place; at least the container itself. */
  openBelow(place: TreePosition, rows: number): void {
    const { nodes } = this
    this.open(place)
    const before = this.rowCount
    const queue: TreePosition[] = [place]
    for (let next = queue.shift(); next; next = queue.shift()) {
      const node = this.#nodeAt(next)
      if (!node) continue
      for (let at = 0; at < Math.min(node.size, rows); at++) {
        const child = nodes.child(node.value, at)
        // A container that is still being read can grow without limit.
        if (!nodes.isContainer(child) || !nodes.isWhole(child)) continue
        if (this.rowCount - before + nodes.size(child) > rows) return
        const below = [...next, at]
        this.open(below)
        queue.push(below)
      }
    }
  }

  /** Takes over what has arrived in containers that are still being read, which are always the last ones. */
  grow(): void {
    const trail: OpenNode<V>[] = []
    for (let node = this.#root; node; node = node.open.at(-1)?.node) trail.push(node)
    let added = 0
    for (const node of trail.toReversed()) {
      const size = this.nodes.size(node.value)
      added += size - node.size
      node.size = size
      node.rows += added
    }
  }

  #create(value: V): OpenNode<V> {
    const size = this.nodes.size(value)
    return { value, size, open: [], rows: size }
  }

  /** The expanded nodes from the root to a place; undefined if one of them is collapsed. */
  #trail(place: TreePosition): OpenNode<V>[] | undefined {
    const trail: OpenNode<V>[] = []
    let node = this.#root
    if (node) trail.push(node)
    for (const at of place) {
      node = node?.open.find((child) => child.at === at)?.node
      if (node) trail.push(node)
    }
    return node && trail
  }

  #nodeAt(place: TreePosition): OpenNode<V> | undefined {
    return this.#trail(place)?.at(-1)
  }

  #row(parent: OpenNode<V>, at: number, place: TreePosition): TreeRow<V> {
    const { nodes } = this
    const value = nodes.child(parent.value, at)
    return {
      place: [...place, at],
      key: nodes.keyAt(parent.value, at),
      value,
      depth: place.length + 1,
      isOpen: parent.open.some((child) => child.at === at),
      size: nodes.isContainer(value) ? nodes.size(value) : 0,
      position: at + 1,
      siblings: parent.size,
    }
  }

  /** The expanded parts of `from`, which belongs to other nodes, applied to our value. */
  #transfer(others: Nodes<V>, from: OpenNode<V>, value: V): OpenNode<V> {
    const node = this.#create(value)
    for (const child of from.open) {
      const at = this.nodes.find(value, others.keyAt(from.value, child.at))
      const below = at === undefined ? undefined : this.nodes.child(value, at)
      if (at === undefined || below === undefined || !this.nodes.isContainer(below)) continue
      const moved = this.#transfer(others, child.node, below)
      insert(node.open, { at, node: moved })
      node.rows += moved.rows
    }
    return node
  }
}

function insert<V>(open: OpenNode<V>['open'], child: OpenNode<V>['open'][number]): void {
  const index = open.findIndex((one) => one.at > child.at)
  open.splice(index === -1 ? open.length : index, 0, child)
}
