import 'server-only'

type Shown = { number: number; since: number }
// On globalThis, because each bundle has its own copy of this module.
const shared = globalThis as { pilothouseInstance?: Shown | undefined; pilothouseHidden?: Set<() => void> }

/** This instance, while the database holds the lock that shows others that it lives. */
export const shownInstance = (): Shown | undefined => shared.pilothouseInstance

export function showInstance(number: number, since = performance.now()): void {
  shared.pilothouseInstance = { number, since }
}

export function hideInstance(number: number): void {
  if (shared.pilothouseInstance?.number !== number) return
  shared.pilothouseInstance = undefined
  for (const listener of shared.pilothouseHidden ?? []) listener()
}

/** The listener is called when this instance has lost that lock. Returns a function that ends it. */
export function onHidden(listener: () => void): () => void {
  shared.pilothouseHidden ??= new Set()
  shared.pilothouseHidden.add(listener)
  return () => shared.pilothouseHidden?.delete(listener)
}
