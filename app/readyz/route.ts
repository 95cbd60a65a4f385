import { readinessProblems, readinessWarnings } from '@/lib/server/start/readiness'

export const dynamic = 'force-dynamic'

/** Ready if the database is reachable and migrated, and there is an account to sign in with. */
export async function GET(): Promise<Response> {
  const problems = await readinessProblems()
  const isReady = problems.length === 0
  return Response.json(
    { status: isReady ? 'ready' : 'not ready', problems, warnings: readinessWarnings() },
    { status: isReady ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  )
}
