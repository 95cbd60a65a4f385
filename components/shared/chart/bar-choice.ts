/** The bars between the one where a choice began and the one where it is now, in order. */
export const chosenBars = (anchor: number | undefined, at: number): { first: number; last: number } => ({
  first: Math.min(anchor ?? at, at),
  last: Math.max(anchor ?? at, at),
})

/** The bar that a key moves to; undefined if the key does not move. */
export function movedBar(key: string, at: number, bars: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, at - 1)
    case 'ArrowRight':
      return Math.min(bars - 1, at + 1)
    case 'Home':
      return 0
    case 'End':
      return bars - 1
    default:
      return undefined
  }
}
