import 'server-only'
import { readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { withBasePath } from '@/lib/base-path'

const TYPES: Record<string, string> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
}
const FOLDER = withBasePath('/_next/static/')

/** The paths of the files that the build has compressed beside them (`scripts/pack/compress.mjs`); none if it was not built so. */
export function compressedFiles(built: string): ReadonlySet<string> {
  try {
    const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.br'))
    return new Set(files.map((file) => FOLDER + file.split(path.sep).join('/').slice(0, -'.br'.length)))
  } catch {
    return new Set()
  }
}

/** Leads a request for a file to its compressed form if the client takes it. The path has no query. */
export function leadToCompressed(
  files: ReadonlySet<string>,
  request: IncomingMessage,
  response: ServerResponse,
  at: string,
): void {
  if (!at.startsWith(FOLDER)) return
  const { 'accept-encoding': accepted = '', range } = request.headers
  const type = TYPES[path.extname(at)]
  // Never with a weight of zero, which has a `;`.
  const takes = String(accepted)
    .split(',')
    .some((one) => one.trim() === 'br')
  if (!type || !takes || range || !files.has(at)) return
  request.url = `${at}.br`
  response.setHeader('content-type', type)
  response.setHeader('content-encoding', 'br')
  response.setHeader('vary', 'Accept-Encoding')
}
