// Headers of every answer, pages, routes, errors and files alike. They stand in the build's manifest, so nothing here may come
// from the environment. A header given here wins over the same one of a route handler: cache-control is left to the routes.
const everywhere = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  { key: 'X-Frame-Options', value: 'DENY' },
  {
    key: 'Permissions-Policy',
    value: ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'display-capture', 'browsing-topics']
      .map((name) => `${name}=()`)
      .join(', '),
  },
]
const apiPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Files need none, but what is missing among them is answered with a page.
const filePolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** @type {import('next').NextConfig} */
export default {
  typedRoutes: true,
  // CI refuses to build what does not type-check. `npm start` skips the check so that a fresh clone starts sooner.
  typescript: { ignoreBuildErrors: !process.env.CI },
  poweredByHeader: false,
  // The optimiser fetches and decodes what a URL names; /_next/image answers 404 with it off.
  images: { unoptimized: true },
  serverExternalPackages: ['undici'],
  turbopack: { root: import.meta.dirname },
  allowedDevOrigins: ['127.0.0.1', 'localhost'],
  // Below the 10 MB at which a body that passes proxy.ts is cut.
  experimental: { serverActions: { bodySizeLimit: '8mb' } },
  headers: async () => [
    { source: '/:path*', headers: everywhere },
    { source: '/(api|healthz|readyz)/:path*', headers: [{ key: 'Content-Security-Policy', value: apiPolicy }] },
    { source: '/_next/:path*', headers: [{ key: 'Content-Security-Policy', value: filePolicy }] },
    {
      source: '/:path*',
      has: [{ type: 'header', key: 'x-forwarded-proto', value: 'https(,.*)?' }],
      headers: [{ key: 'Strict-Transport-Security', value: 'max-age=63072000' }],
    },
  ],
}
