import { Graph, layout } from '@dagrejs/dagre'

export type GraphNode = { id: string }
export type GraphEdge = { from: string; to: string; isConditional: boolean }
export type PlacedNode = { id: string; x: number; y: number }
/** `isBack`: it leads upwards or back to its own node. */
export type PlacedEdge = GraphEdge & { path: string; isBack: boolean }
/** The box around a subgraph, whose node ids start with the subgraph's id and a colon. */
export type PlacedGroup = { id: string; x: number; y: number; width: number; height: number }
export type Placed = { width: number; height: number; nodes: PlacedNode[]; edges: PlacedEdge[]; groups: PlacedGroup[] }

export const NODE_WIDTH = 168
export const NODE_HEIGHT = 44
const GAP_X = 28
const GAP_Y = 40
/** The width of a node's loop to itself; must be smaller than the gap next to it. */
const LOOP = 20
const MARGIN = 16
/** Layout time is quadratic, so larger graphs are a single column in the given order. */
const MOST_NODES = 300
const MOST_EDGES = 1_000

/** Lays out a graph from top to bottom, each node below its predecessors except in loops. */
export function placeGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Placed {
  const ids = new Set(nodes.map(({ id }) => id))
  const known = edges.filter(({ from, to }) => ids.has(from) && ids.has(to))
  if (nodes.length > MOST_NODES || known.length > MOST_EDGES) return placeBelow(nodes, known)
  const graph = new Graph({ compound: true, multigraph: true })
  graph.setGraph({ rankdir: 'TB', nodesep: GAP_X, ranksep: GAP_Y, edgesep: 16, marginx: MARGIN, marginy: MARGIN })
  graph.setDefaultEdgeLabel(() => ({}))
  const groups = new Set(nodes.flatMap(({ id }) => groupsOf(id)).filter((id) => !ids.has(id)))
  for (const id of groups) graph.setNode(id, {})
  for (const { id } of nodes) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT })
  for (const id of [...groups, ...ids]) {
    const parent = groupsOf(id).findLast((one) => groups.has(one))
    if (parent !== undefined) graph.setParent(id, parent)
  }
  // The library draws loops of one node across the node, so `loopAt` draws them.
  for (const [index, { from, to }] of known.entries()) if (from !== to) graph.setEdge(from, to, {}, String(index))
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const centre = (id: string) => graph.node(id) as Box
  return {
    width: Math.max(width, NODE_WIDTH + 2 * MARGIN) + (known.some(({ from, to }) => from === to) ? LOOP : 0),
    height: Math.max(height, NODE_HEIGHT + 2 * MARGIN),
    nodes: nodes.map(({ id }) => ({ id, ...corner(centre(id)) })),
    edges: known.map((edge, index) => ({
      ...edge,
      path:
        edge.from === edge.to
          ? loopAt(centre(edge.from))
          : pathThrough(graph.edge(edge.from, edge.to, String(index)).points ?? []),
      isBack: centre(edge.to).y <= centre(edge.from).y,
    })),
    groups: [...groups].map((id) => {
      const { width, height } = centre(id)
      return { id, ...corner(centre(id)), width, height }
    }),
  }
}

type Point = { x: number; y: number }
type Box = Point & { width: number; height: number }

const corner = ({ x, y, width, height }: Box): Point => ({ x: x - width / 2, y: y - height / 2 })

/** The groups of a node, outermost first: `a:b:c` is in group `a:b`, which is in group `a`. */
function groupsOf(id: string): string[] {
  const parts = id.split(':')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(':'))
}

/** A loop on the right side of a node. */
function loopAt({ x, y }: Point): string {
  const right = x + NODE_WIDTH / 2
  const out = right + (LOOP * 4) / 3 // the curve reaches three quarters of the way to its control points
  return `M${right} ${y - 8} C${out} ${y - 16} ${out} ${y + 16} ${right} ${y + 8}`
}

/** A smooth path: the inner points are control points of curves between their midpoints. */
function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points
  const last = rest.pop()
  if (!first || !last) return ''
  const bends = rest.map((point, index) => {
    const next = rest[index + 1] ?? last
    const isLast = index === rest.length - 1
    const to = isLast ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q${point.x} ${point.y} ${to.x} ${to.y}`
  })
  return `M${first.x} ${first.y} ${bends.length > 0 ? bends.join(' ') : `L${last.x} ${last.y}`}`
}

function placeBelow(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Placed {
  const placed = nodes.map(({ id }, row) => ({ id, x: MARGIN, y: MARGIN + row * (NODE_HEIGHT + GAP_Y) }))
  const at = new Map(placed.map((node) => [node.id, node]))
  const side = MARGIN + NODE_WIDTH
  return {
    width: side + 10 * MARGIN,
    height: 2 * MARGIN + nodes.length * (NODE_HEIGHT + GAP_Y),
    nodes: placed,
    edges: edges.flatMap((edge) => {
      const [from, to] = [at.get(edge.from), at.get(edge.to)]
      if (!from || !to) return []
      const isNext = to.y - from.y === NODE_HEIGHT + GAP_Y
      const middle = MARGIN + NODE_WIDTH / 2
      const [y1, y2, out] = [from.y + NODE_HEIGHT / 2, to.y + NODE_HEIGHT / 2, side + 8 * MARGIN]
      const path = isNext
        ? `M${middle} ${from.y + NODE_HEIGHT} L${middle} ${to.y}`
        : `M${side} ${y1} C${out} ${y1} ${out} ${y2} ${side} ${y2}`
      return [{ ...edge, path, isBack: to.y <= from.y }]
    }),
    groups: [],
  }
}
