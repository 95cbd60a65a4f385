import type { NextRequest } from 'next/server'
import { HTTP_STATUS } from '@/lib/errors'
import { assertOwnOrigin } from '@/lib/server/access/origin'
import { acceptInvitation } from '@/lib/server/audit/invitations'
import { toResult } from '@/lib/server/process/result'

export const dynamic = 'force-dynamic'

/** Accepts the invitation that this browser has opened. */
export async function POST(request: NextRequest): Promise<Response> {
  const result = await toResult(async () => {
    assertOwnOrigin(request.headers)
    const given: unknown = await request.json().catch(() => undefined)
    return await acceptInvitation(given, request.headers.get('x-forwarded-for') ?? 'unknown')
  })
  const status = result.ok ? 200 : HTTP_STATUS[result.error.code]
  return Response.json(result, { status, headers: { 'cache-control': 'no-store' } })
}
