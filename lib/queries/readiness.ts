import { withBasePath } from '@/lib/base-path'

/** Whether the console can serve: its database answers, and nothing else keeps it from its work. */
export const isConsoleReady = (): Promise<boolean> =>
  fetch(withBasePath('/readyz')).then(
    ({ ok }) => ok,
    () => false,
  )
