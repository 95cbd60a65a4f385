import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from '@/lib/server/access/auth'
import { refuseAuthRequest } from '@/lib/server/access/auth-request'

type Context = { params: Promise<{ nextauth: string[] }> }

// Options are read per request, because the build loads this file without an environment.
const handle = (request: NextRequest, context: Context): Response | Promise<Response> =>
  refuseAuthRequest(request) ?? NextAuth(request, context, authOptions())

export { handle as GET, handle as POST }
