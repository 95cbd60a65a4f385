import { createContext } from 'react'

export type BreakpointSide = 'before' | 'after'

/** Where the next run stops, and how to change that; undefined where none can be set. */
export const Breakpoints = createContext<
  | {
      has: (node: string, side: BreakpointSide) => boolean
      /** `all`: the graph's nodes. */
      toggle: (node: string, side: BreakpointSide, all: readonly string[]) => void
    }
  | undefined
>(undefined)

/** Nodes as typed: with commas between, or `*` for all. */
export const nodesIn = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

export const hasNode = (text: string, node: string): boolean => text.trim() === '*' || nodesIn(text).includes(node)

/** The text with a node added or removed. `all`: the graph's nodes, of which `*` keeps the others. */
export function withNode(text: string, node: string, all: readonly string[]): string {
  const nodes = text.trim() === '*' ? all : nodesIn(text)
  return (nodes.includes(node) ? nodes.filter((one) => one !== node) : [...nodes, node]).join(', ')
}
