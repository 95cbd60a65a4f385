import type { NextRequest } from 'next/server'
import { HTTP_STATUS } from '@/lib/errors'
import { assertOwnOrigin } from '@/lib/server/access/origin'
import { readInvitation } from '@/lib/server/audit/invitations'
import { toResult } from '@/lib/server/process/result'

export const dynamic = 'force-dynamic'

/** What an invitation offers. Its token comes in the body, so that it is in no log. */
export async function POST(request: NextRequest): Promise<Response> {
  const result = await toResult(async () => {
    assertOwnOrigin(request.headers)
    const given: unknown = await request.json().catch(() => undefined)
    return await readInvitation(given, request.headers.get('x-forwarded-for') ?? 'unknown')
  })
  const status = result.ok ? 200 : HTTP_STATUS[result.error.code]
  return Response.json(result, { status, headers: { 'cache-control': 'no-store' } })
}
