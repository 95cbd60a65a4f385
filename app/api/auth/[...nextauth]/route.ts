import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from '@/lib/server/access/auth'

type Context = { params: Promise<{ nextauth: string[] }> }

// The settings are read at each request: the build that loads this file has no environment.
const handle = (request: NextRequest, context: Context): Promise<Response> => NextAuth(request, context, authOptions())

export { handle as GET, handle as POST }
