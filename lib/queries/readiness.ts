/** Whether the console can serve: its database answers, and nothing else keeps it from its work. */
export const isConsoleReady = (): Promise<boolean> =>
  fetch('/readyz').then(
    ({ ok }) => ok,
    () => false,
  )
