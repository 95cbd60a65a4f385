import 'server-only'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webm': 'video/webm',
  '.woff2': 'font/woff2',
}

/** What may be sent in parts. Texts are compressed on the way, so a part of one would not fit the rest. */
const IN_PARTS = ['.png', '.webm', '.woff2']

/** What of a request decides which answer it gets. */
type Asking = Pick<Request, 'method' | 'headers'>

/** Where `scripts/docs/build.mjs` writes the site; also in the package and the images. */
const siteFolder = () => path.join(/* turbopackIgnore: true */ process.cwd(), '.build/docs')

async function read(folder: string, name: string): Promise<Buffer | undefined> {
  const file = path.join(/* turbopackIgnore: true */ folder, name)
  // A segment can hold anything, encoded.
  if (!file.startsWith(folder + path.sep)) return undefined
  return readFile(/* turbopackIgnore: true */ file).catch(() => undefined)
}

/**
 * The part that `Range` asks for, if the client still has the rest of the same file. Safari plays no video without parts. An
 * invalid range, such as one that ends before it starts, is ignored (RFC 9110, 14.2).
 */
const rangeOf = ({ method, headers }: Asking, etag: string): string | undefined => {
  const condition = headers.get('if-range')
  if (method !== 'GET' || (condition !== null && condition !== etag)) return undefined
  const [range, from, to] = /^bytes=(?:(\d+)-(\d*)|-\d+)$/.exec(headers.get('range') ?? '') ?? []
  return to && Number(to) < Number(from) ? undefined : range
}

const ofPart = ['content-range', 'content-length']

/** Answers 206 with the part of the file, or 416 if the file ends before it. */
async function servePart(file: string, range: string, headers: Record<string, string>): Promise<Response> {
  const found = await new Hono().use(serveStatic({ path: file })).request('/', { headers: { range } })
  const own = Object.fromEntries([...found.headers].filter(([name]) => ofPart.includes(name)))
  const refused = found.status === 416 && { 'cache-control': 'no-store' }
  return new Response(found.body, { status: found.status, headers: { ...headers, ...own, ...refused } })
}

const notBuilt = () =>
  new Response('The documentation is not built yet. npm start builds it in the background: try again in a minute.\n', {
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '30', 'cache-control': 'no-store' },
  })

/** A file or page of the documentation site. `segments` is the path below `/docs`; pages have no ending. */
export async function serveDocs(
  segments: readonly string[],
  request: Asking,
  folder = siteFolder(),
): Promise<Response> {
  const asked = segments.join('/')
  const type = TYPES[path.extname(asked)]
  const names = type ? [asked] : asked ? [`${asked}.html`, `${asked}/index.html`] : ['index.html']
  let content: Buffer | undefined
  for (const name of names) content ??= await read(folder, name)
  const isFound = content !== undefined
  content ??= await read(folder, '404.html')
  if (!content) return notBuilt()
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  const isInParts = isFound && IN_PARTS.includes(path.extname(asked))
  // Names of assets have a hash of their content.
  const isFixed = isFound && segments[0] === 'assets'
  const headers = {
    'content-type': isFound ? (type ?? 'text/html; charset=utf-8') : 'text/html; charset=utf-8',
    'cache-control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    ...(isInParts && { 'accept-ranges': 'bytes' }),
  }
  const known = request.headers.get('if-none-match')
  if (isFound && known?.replace(/^W\//, '') === etag) return new Response(null, { status: 304, headers })
  const range = isInParts ? rangeOf(request, etag) : undefined
  if (range) return servePart(path.join(/* turbopackIgnore: true */ folder, asked), range, headers)
  return new Response(new Uint8Array(content), { status: isFound ? 200 : 404, headers })
}
