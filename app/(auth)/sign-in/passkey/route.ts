import type { NextRequest } from 'next/server'
import { HTTP_STATUS } from '@/lib/errors'
import { assertOwnOrigin } from '@/lib/server/access/origin'
import { signInOptions } from '@/lib/server/access/passkeys'
import { toResult } from '@/lib/server/process/result'

export const dynamic = 'force-dynamic'

/** What the browser needs to sign in with a passkey. The answer goes to next-auth. */
export async function POST({ headers }: NextRequest): Promise<Response> {
  const result = await toResult(async () => {
    assertOwnOrigin(headers)
    return await signInOptions(headers.get('x-forwarded-for') ?? 'unknown')
  })
  const status = result.ok ? 200 : HTTP_STATUS[result.error.code]
  return Response.json(result, { status, headers: { 'cache-control': 'no-store' } })
}
