import { API, DOCUMENTS, EVERYWHERE, OVER_TLS, TLS_PROTO } from './lib/response-headers.mjs'
import { compressStatic } from './scripts/pack/compress.mjs'

// Files need no policy, but a missing one gets an error page.
const filePolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// The one rule that the documentation's generator inserts: no transitions while the theme changes.
const SWITCHING_THEME = 'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='

// Its pages are files, and so are its scripts. Highlighted code has its colours in style attributes.
const docsPolicy = [
  ...[
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' '${SWITCHING_THEME}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "media-src 'self'",
  ],
  ...["font-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ')

// See docs/decisions/0110-below-a-path.md. scripts/bootstrap.mjs takes it from NEXTAUTH_URL.
const basePath = process.env.PILOTHOUSE_BASE_PATH ?? ''
if (!/^(\/[\w.~-]+)*$/.test(basePath))
  throw new Error(
    `The console cannot be served below "${basePath}". Give NEXTAUTH_URL a path like /pilothouse: letters, digits and . _ ~ - only.`,
  )

/** @type {import('next').NextConfig} */
export default {
  basePath,
  env: { PILOTHOUSE_BASE_PATH: basePath },
  typedRoutes: true,
  // The images use `standalone`: a folder with the few files of node_modules that the console needs.
  output: process.env.NEXT_OUTPUT === 'standalone' ? 'standalone' : undefined,
  // `npm test` checks types in a step of its own; a build need not do it again.
  typescript: { ignoreBuildErrors: true },
  // scripts/pack/pack.mjs makes a package that needs neither the sources nor a build. The value is the build's id.
  ...(process.env.PILOTHOUSE_PACK && {
    output: 'standalone',
    generateBuildId: () => process.env.PILOTHOUSE_PACK ?? null,
  }),
  compiler: {
    // Slower and smaller where many will load it: in the images and the package.
    runAfterProductionCompile: ({ distDir }) =>
      compressStatic(`${distDir}/static`, process.env.NEXT_OUTPUT || process.env.PILOTHOUSE_PACK ? 11 : 9),
  },
  poweredByHeader: false,
  // The optimizer fetches and decodes any URL it is given; when off, /_next/image returns 404.
  images: { unoptimized: true },
  serverExternalPackages: ['undici'],
  turbopack: { root: import.meta.dirname },
  allowedDevOrigins: ['127.0.0.1', 'localhost'],
  experimental: {
    // Below 10 MB, where proxy.ts truncates bodies.
    serverActions: { bodySizeLimit: '8mb' },
    // Loading all pages at the start took longer than the rest of it. Each is loaded by its first visitor.
    preloadEntriesOnStart: false,
  },
  // They override a route handler's headers, so cache-control is left to the routes.
  headers: async () => [
    { source: '/:path*', headers: EVERYWHERE },
    // Below a base path, the second pattern does not match the base path alone.
    { source: '/', headers: DOCUMENTS },
    { source: '/((?!_next/static/).*)', headers: DOCUMENTS },
    { source: '/(api|healthz|readyz|metrics)/:path*', headers: API },
    { source: '/docs/:path*', headers: [{ key: 'Content-Security-Policy', value: docsPolicy }] },
    { source: '/_next/:path*', headers: [{ key: 'Content-Security-Policy', value: filePolicy }] },
    // For crawlers that read no page. The API sets it itself.
    { source: '/public/:path*', headers: [{ key: 'X-Robots-Tag', value: 'noindex, nofollow' }] },
    {
      source: '/:path*',
      has: [{ type: 'header', key: 'x-forwarded-proto', value: TLS_PROTO }],
      headers: OVER_TLS,
    },
  ],
}
