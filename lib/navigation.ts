import { withBasePath } from './base-path'

/** A page that has not come after this long will not: its request was given up. */
const LONGEST_MS = 30_000

const listeners = new Set<() => void>()
let isUnderWay = false
let timer: ReturnType<typeof setTimeout> | undefined

function set(value: boolean): void {
  clearTimeout(timer)
  if (value) timer = setTimeout(set, LONGEST_MS, false)
  if (isUnderWay === value) return
  isUnderWay = value
  for (const listener of listeners) listener()
}

/** Whether another page was asked for and has not come yet, as an external store. */
export const navigation = {
  /** Nothing is under way to the address that is shown. The framework gives one of our paths, or the whole address. */
  begin(url: string): void {
    const { pathname, search } = new URL(url.startsWith('/') ? withBasePath(url) : url, location.href)
    set(pathname !== location.pathname || search !== location.search)
  },
  end: (): void => set(false),
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: (): boolean => isUnderWay,
}
