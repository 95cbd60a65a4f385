export type GraphNode = { id: string }
export type GraphEdge = { from: string; to: string; isConditional: boolean }
export type PlacedNode = { id: string; x: number; y: number }
export type PlacedEdge = GraphEdge & { path: string; isBack: boolean }
export type Placed = { width: number; height: number; nodes: PlacedNode[]; edges: PlacedEdge[] }

export const NODE_WIDTH = 168
export const NODE_HEIGHT = 44
const GAP_X = 28
const GAP_Y = 40
const MARGIN = 12
/** Room beside the nodes in which edges go back up, each a little further out. */
const BACK_GAP = 16

/**
 * Places a graph in layers from top to bottom: each node below all that lead to it, edges of loops left out of that and
 * drawn up the right side. Agent graphs are small; this is no general layout.
 */
export function placeGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Placed {
  const ids = new Set(nodes.map(({ id }) => id))
  const known = edges.filter(({ from, to }) => ids.has(from) && ids.has(to))
  const back = backEdges(nodes, known)
  const layers = order(layersOf(nodes, known, back), known)
  const widest = Math.max(1, ...layers.map((layer) => layer.length))
  const inner = widest * NODE_WIDTH + (widest - 1) * GAP_X
  const at = new Map<string, PlacedNode>()
  for (const [depth, layer] of layers.entries()) {
    const own = layer.length * NODE_WIDTH + (layer.length - 1) * GAP_X
    for (const [place, id] of layer.entries())
      at.set(id, {
        id,
        x: MARGIN + (inner - own) / 2 + place * (NODE_WIDTH + GAP_X),
        y: MARGIN + depth * (NODE_HEIGHT + GAP_Y),
      })
  }
  let backs = 0
  const placed = known.flatMap((edge): PlacedEdge[] => {
    const from = at.get(edge.from)
    const to = at.get(edge.to)
    if (!from || !to) return []
    const isBack = back.has(edge)
    const path = isBack ? pathBack(from, to, MARGIN + inner + BACK_GAP * ++backs) : pathDown(from, to)
    return [{ ...edge, path, isBack }]
  })
  return {
    width: inner + 2 * MARGIN + backs * BACK_GAP,
    height: layers.length * (NODE_HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN,
    nodes: [...at.values()],
    edges: placed,
  }
}

function groupBy(edges: readonly GraphEdge[], keyOf: (edge: GraphEdge) => string): Map<string, GraphEdge[]> {
  const groups = new Map<string, GraphEdge[]>()
  for (const edge of edges) {
    const key = keyOf(edge)
    const group = groups.get(key)
    if (group) group.push(edge)
    else groups.set(key, [edge])
  }
  return groups
}

/** The edges that close a loop, found from the nodes in their order. Without recursion: a graph may be one long chain. */
function backEdges(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): ReadonlySet<GraphEdge> {
  const out = groupBy(edges, ({ from }) => from)
  const state = new Map<string, 'open' | 'done'>()
  const back = new Set<GraphEdge>()
  for (const { id: root } of nodes) {
    if (state.has(root)) continue
    const stack = [{ id: root, next: 0 }]
    state.set(root, 'open')
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const edge = out.get(top.id)?.[top.next++]
      if (!edge) {
        state.set(top.id, 'done')
        stack.pop()
      } else if (state.get(edge.to) === 'open') back.add(edge)
      else if (!state.has(edge.to)) {
        state.set(edge.to, 'open')
        stack.push({ id: edge.to, next: 0 })
      }
    }
  }
  return back
}

function layersOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[], back: ReadonlySet<GraphEdge>): string[][] {
  const forward = edges.filter((edge) => !back.has(edge))
  const out = groupBy(forward, ({ from }) => from)
  const waits = new Map(nodes.map(({ id }) => [id, 0]))
  for (const { to } of forward) waits.set(to, (waits.get(to) ?? 0) + 1)
  const depth = new Map<string, number>()
  const ready = nodes.filter(({ id }) => waits.get(id) === 0).map(({ id }) => id)
  for (const id of ready) {
    depth.set(id, depth.get(id) ?? 0)
    for (const { to } of out.get(id) ?? []) {
      depth.set(to, Math.max(depth.get(to) ?? 0, (depth.get(id) ?? 0) + 1))
      const left = (waits.get(to) ?? 1) - 1
      waits.set(to, left)
      if (left === 0) ready.push(to) // the loop goes on with what it finds
    }
  }
  const layers: string[][] = []
  for (const { id } of nodes) {
    const layer = depth.get(id) ?? 0
    while (layers.length <= layer) layers.push([])
    layers[layer]?.push(id)
  }
  return layers
}

/** Nodes of a layer under what leads to them, so that few edges cross. */
function order(layers: readonly string[][], edges: readonly GraphEdge[]): string[][] {
  const into = groupBy(edges, ({ to }) => to)
  const place = new Map<string, number>()
  return layers.map((layer) => {
    const rank = (id: string) => {
      const above = (into.get(id) ?? []).flatMap(({ from }) => place.get(from) ?? [])
      return above.length > 0 ? above.reduce((sum, one) => sum + one, 0) / above.length : 0.5
    }
    const ranked = layer.map((id) => ({ id, rank: rank(id) })).sort((a, b) => a.rank - b.rank)
    for (const [at, { id }] of ranked.entries()) place.set(id, (at + 0.5) / ranked.length)
    return ranked.map(({ id }) => id)
  })
}

function pathDown(from: PlacedNode, to: PlacedNode): string {
  const x1 = from.x + NODE_WIDTH / 2
  const y1 = from.y + NODE_HEIGHT
  const x2 = to.x + NODE_WIDTH / 2
  const bend = Math.max(16, (to.y - y1) / 2)
  return `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${to.y - bend} ${x2} ${to.y}`
}

function pathBack(from: PlacedNode, to: PlacedNode, x: number): string {
  const x1 = from.x + NODE_WIDTH
  const x2 = to.x + NODE_WIDTH
  const y1 = from.y + NODE_HEIGHT * 0.65
  const y2 = to.y + NODE_HEIGHT * 0.35
  return `M${x1} ${y1} C${x} ${y1} ${x} ${y1} ${x} ${(y1 + y2) / 2} C${x} ${y2} ${x} ${y2} ${x2} ${y2}`
}
