import { type NextRequest, NextResponse } from 'next/server'

/**
 * Gives each page a content security policy with a new nonce. Skips `/api/`, because bodies are truncated at 10 MB
 * here; its responses have a static policy (next.config.mjs), and so do those of `/docs`.
 */
export default function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))))
  const policy = pagePolicy(nonce, process.env.NODE_ENV === 'development')
  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  headers.set('x-path', request.nextUrl.pathname + request.nextUrl.search) // so that sign-in can return here
  headers.set('content-security-policy', policy) // Next reads the nonce from here for its own scripts
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', policy)
  return response
}

/** `next dev` uses eval, a socket and inline styles without a nonce. */
function pagePolicy(nonce: string, isDev: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDev ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' ${isDev ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "style-src-attr 'unsafe-inline'", // heights that a virtual list renders on the server
    "img-src 'self' data: blob:",
    "media-src 'self' blob:", // audio and video in messages; never from another host
    "font-src 'self'",
    `connect-src 'self'${isDev ? ' ws:' : ''}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

// Below a base path, the second pattern does not match the base path alone.
export const config = { matcher: ['/', '/((?!api/|docs(?:/|$)|_next/static|_next/image|healthz$|readyz$|metrics$).*)'] }
