/** Runs once before the first request: checks the settings, creates the first account and registers the shutdown. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return // also compiled for the edge runtime, so Node APIs need this guard
  const { start } = await import('./lib/server/start/start')
  await start()
}
