import { afterSignOut } from '@/lib/server/resources/provider-sign-out'

export const dynamic = 'force-dynamic'

/** The browser comes here when its session has ended. */
export async function GET(): Promise<Response> {
  const headers = { location: await afterSignOut(), 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  return new Response(null, { status: 303, headers })
}
