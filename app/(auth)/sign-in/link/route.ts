import type { NextRequest } from 'next/server'
import { withBasePath } from '@/lib/base-path'
import { signInCode } from '@/lib/contracts/sign-in-code'
import { HTTP_STATUS } from '@/lib/errors'
import { routes } from '@/lib/routes'
import { assertOwnOrigin } from '@/lib/server/access/origin'
import { currentSession } from '@/lib/server/access/session'
import { printSignInLink, signInByLink } from '@/lib/server/audit/sign-in-by-link'
import { toResult } from '@/lib/server/process/result'

export const dynamic = 'force-dynamic'

const QUIET = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** The one-time link from the terminal. A reload finds the session that it made. */
export async function GET({ nextUrl, headers }: NextRequest): Promise<Response> {
  const token = nextUrl.searchParams.get('token') ?? ''
  const address = headers.get('x-forwarded-for') ?? 'unknown'
  const result = await toResult(async () => (await currentSession()) !== null || (await signInByLink(token, address)))
  const refused = `${routes.signIn()}?error=${result.ok ? 'UsedLink' : signInCode(result.error)}`
  const location = withBasePath(result.ok && result.data ? '/' : refused)
  return new Response(null, { status: 303, headers: { ...QUIET, location } })
}

/** Prints a new link in the terminal of the console. */
export async function POST({ headers }: NextRequest): Promise<Response> {
  const result = await toResult(async () => {
    assertOwnOrigin(headers)
    await printSignInLink()
    return null
  })
  return Response.json(result, { status: result.ok ? 200 : HTTP_STATUS[result.error.code], headers: QUIET })
}
