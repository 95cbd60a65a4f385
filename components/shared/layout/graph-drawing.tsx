'use client'
import { type ReactNode, type RefObject, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { type GraphEdge, type GraphNode, NODE_HEIGHT, NODE_WIDTH, type PlacedNode, placeGraph } from './graph-layout'

/** The appearance of a node, apart from its name. */
export type NodeLook = {
  className?: string
  icon?: ReactNode
  aside?: ReactNode
  note?: ReactNode
  onOpen?: () => void
  /** Shown on the node's left edge, above and below. */
  marks?: { above: ReactNode; below: ReactNode }
}

type Props = {
  /** Names the drawing to screen readers. */
  label: string
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
  lookOf?: (id: string) => NodeLook | undefined
}

/** A graph drawn from top to bottom, with subgraphs in boxes. Load it on demand, because it includes the layout library. */
export function GraphDrawing({ label, nodes, edges, lookOf }: Props) {
  const placed = useMemo(() => placeGraph(nodes, edges), [nodes, edges])
  const arrow = useId()
  const frame = useRef<HTMLElement>(null)
  const zoom = useZoom(frame, placed.width)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section ref={frame} aria-label={label} tabIndex={0} className="h-full overflow-auto p-3">
      <div className="relative mx-auto" style={{ width: placed.width, height: placed.height, zoom }}>
        {placed.groups.map(({ id, x, y, width, height }) => (
          <div
            key={id}
            className="absolute rounded-md border border-line-strong border-dashed"
            style={{ left: x, top: y, width, height }}
          >
            <span className="absolute -top-2 left-2 bg-panel px-1 font-mono text-2xs text-ink-3">
              <VisibleText>{nameOf(id)}</VisibleText>
            </span>
          </div>
        ))}
        <svg
          aria-hidden
          className="absolute inset-0 overflow-visible text-line-strong"
          width={placed.width}
          height={placed.height}
        >
          <defs>
            <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0 L8 4 L0 8 z" fill="currentColor" />
            </marker>
          </defs>
          {placed.edges.map((edge) => (
            <path
              key={`${edge.from} ${edge.to} ${edge.path}`}
              d={edge.path}
              fill="none"
              stroke="currentColor"
              strokeWidth={1.5}
              strokeDasharray={edge.isConditional ? '4 3' : undefined}
              markerEnd={`url(#${arrow})`}
            />
          ))}
        </svg>
        {placed.nodes.map((node) => (
          <Placed key={node.id} node={node} look={lookOf?.(node.id)} />
        ))}
      </div>
    </section>
  )
}

const PADDING = 24
/** Smaller, names are hard to read. */
const LEAST_ZOOM = 0.7

/** How much smaller a drawing of this width must be to fit, as on small screens. */
function useZoom(frame: RefObject<HTMLElement | null>, width: number): number {
  const [zoom, setZoom] = useState(1)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const fit = () => setZoom(Math.max(LEAST_ZOOM, Math.min(1, (element.clientWidth - PADDING) / width)))
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame, width])
  return zoom
}

function Placed({ node, look }: { node: PlacedNode; look: NodeLook | undefined }) {
  const mark = 'absolute -translate-x-1/2 -translate-y-1/2'
  return (
    <>
      <Node node={node} look={look} />
      {look?.marks ? (
        <>
          <span className={mark} style={{ left: node.x, top: node.y }}>
            {look.marks.above}
          </span>
          <span className={mark} style={{ left: node.x, top: node.y + NODE_HEIGHT }}>
            {look.marks.below}
          </span>
        </>
      ) : null}
    </>
  )
}

function Node({ node, look }: { node: PlacedNode; look: NodeLook | undefined }) {
  const name = nameOf(node.id)
  const isEnd = name === 'Start' || name === 'End'
  const shape = cn(
    'absolute flex flex-col justify-center border px-2.5 text-left text-xs',
    look?.className ?? 'border-line-strong bg-panel text-ink-2',
    isEnd ? 'rounded-full border-dashed text-center' : 'rounded-md',
  )
  const style = { left: node.x, top: node.y, width: NODE_WIDTH, height: NODE_HEIGHT }
  const content = (
    <>
      <span className={cn('flex w-full items-center gap-1.5', isEnd && 'justify-center')}>
        {look?.icon}
        <span className="min-w-0 truncate font-medium font-mono">
          <VisibleText>{name}</VisibleText>
        </span>
        {look?.aside}
      </span>
      {look?.note ? <span className="w-full truncate text-2xs text-ink-2">{look.note}</span> : null}
    </>
  )
  if (!look?.onOpen)
    return (
      <div title={name} className={shape} style={style}>
        {content}
      </div>
    )
  return (
    <button
      type="button"
      title={`${name}: show its steps`}
      onClick={look.onOpen}
      className={cn(shape, 'hover:bg-hover')}
      style={style}
    >
      {content}
    </button>
  )
}

/** The name without its subgraph, which the surrounding box shows. */
function nameOf(id: string): string {
  const name = id.slice(id.lastIndexOf(':') + 1)
  return name === '__start__' ? 'Start' : name === '__end__' ? 'End' : name
}
