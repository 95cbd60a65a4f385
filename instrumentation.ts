/** Runs once before the first request: shutdown hooks, a readable refusal of bad settings, the first account. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return // also compiled for the edge runtime: no Node API outside this guard
  const { start } = await import('./lib/server/start/start')
  await start()
}
