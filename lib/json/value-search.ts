import type { TreePosition } from './tree-model'
import { isContainer } from './value'

export type JsonSearch = {
  /** Places found so far, in document order. */
  hits: TreePosition[]
  isDone: boolean
  /** Searches for about this many milliseconds. */
  advance(milliseconds: number): void
}

export const MAX_HITS = 5_000
const CHECK_CLOCK_EVERY = 512

/**
 * Finds text in keys and values, case-insensitively. Works in slices with its own stack, so large or deep values block
 * nothing; stops at 5,000 hits.
 */
export function searchJson(root: unknown, text: string): JsonSearch {
  const needle = text.toLowerCase()
  const stack: { value: object; keys: string[] | undefined; size: number; next: number }[] = []
  const place: number[] = []
  const search: JsonSearch = { hits: [], isDone: needle === '', advance }
  const enter = (value: object) => {
    const keys = Array.isArray(value) ? undefined : Object.keys(value)
    stack.push({ value, keys, size: keys?.length ?? (value as unknown[]).length, next: 0 })
  }
  if (isContainer(root)) enter(root)
  else if (matches(root, needle)) search.hits.push([])

  function advance(milliseconds: number): void {
    const until = performance.now() + milliseconds
    for (let work = 1; !search.isDone; work++) {
      if (work % CHECK_CLOCK_EVERY === 0 && performance.now() > until) return
      const top = stack.at(-1)
      if (!top || search.hits.length >= MAX_HITS) {
        search.isDone = true
        return
      }
      if (top.next === top.size) {
        stack.pop()
        place.pop()
        continue
      }
      const at = top.next++
      const key = top.keys?.[at] ?? at
      const value = (top.value as Record<string | number, unknown>)[key]
      const isBelow = isContainer(value)
      if ((typeof key === 'string' && key.toLowerCase().includes(needle)) || (!isBelow && matches(value, needle)))
        search.hits.push([...place, at])
      if (isBelow) {
        enter(value)
        place.push(at)
      }
    }
  }
  return search
}

const matches = (value: unknown, needle: string): boolean => String(value).toLowerCase().includes(needle)
