import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { operatorVariable } from '../kernel/env'

/** One change to a confined program's view of the file system. */
export type Mount =
  | { kind: 'hide'; at: string; isShared?: boolean }
  | { kind: 'show'; at: string; isWritable?: boolean }

export type View = {
  /** Folders that are hidden, except for what is shown again. */
  hidden: readonly string[]
  /** Files and folders inside hidden folders that stay visible. */
  shown: readonly string[]
}

const real = (place: string): string | undefined => {
  try {
    return realpathSync(place)
  } catch {
    return undefined
  }
}
const isBelow = (place: string, folder: string) => place.startsWith(`${folder}${path.sep}`)

/** What is hidden of this machine, and what the platform's own programs still need. */
export function viewOfMachine(options: {
  dataDir: string
  /** The platform's working folder. */
  root: string
  /** The program of an agent server. */
  entry: string
  databaseUrls: readonly string[]
  /** Folders that every deployment may read. */
  readable: readonly string[]
}): View {
  const { dataDir, root, entry, databaseUrls, readable } = options
  const node = realpathSync(process.execPath)
  const hidden = [dataDir, root, os.homedir(), '/home', '/root', '/run', '/var/lib/pilothouse']
  const resolver = real('/etc/resolv.conf')
  const shown = [
    ...['bin', 'lib', 'include'].map((name) => path.join(path.dirname(node), '..', name)),
    path.dirname(process.execPath),
    ...(operatorVariable('PATH') ?? '').split(path.delimiter),
    ...['node_modules', 'package.json', '.build'].map((name) => path.join(root, name)),
    path.dirname(entry),
    ...compilerFolders(root),
    ...(resolver ? [path.dirname(resolver)] : []),
    ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].map(operatorVariable),
    ...databaseUrls.flatMap(databasePlaces),
    ...readable,
  ]
  const usable = (places: (string | undefined)[]) => [
    ...new Set(places.flatMap((place) => (place && path.isAbsolute(place) && real(place)) || [])),
  ]
  const covered = usable(hidden).filter((place) => place !== '/')
  return {
    hidden: covered,
    // The rest is visible anyway.
    shown: usable(shown).filter(
      (place) => !covered.includes(place) && [...covered, ...TEMPORARY].some((folder) => isBelow(place, folder)),
    ),
  }
}

/** What turns TypeScript graphs into JavaScript. Of the published package, npm may install it elsewhere. */
function compilerFolders(root: string): string[] {
  try {
    const folder = (name: string, from: string) =>
      path.dirname(createRequire(path.join(from, 'package.json')).resolve(`${name}/package.json`))
    const esbuild = folder('esbuild', root)
    return [esbuild, folder(`@esbuild/${process.platform}-${process.arch}`, esbuild)]
  } catch {
    return [] // the agent server says what is missing
  }
}

/** Every program has its own, initially empty. */
export const TEMPORARY = ['/tmp', '/var/tmp']

/** In mount order: deeper paths come later. */
export function mountsFor({ hidden, shown }: View, writable: readonly string[]): Mount[] {
  const mounts: Mount[] = [
    ...TEMPORARY.filter((at) => existsSync(at)).map((at): Mount => ({ kind: 'hide', at, isShared: true })),
    ...hidden.map((at): Mount => ({ kind: 'hide', at })),
    ...shown.map((at): Mount => ({ kind: 'show', at })),
    ...writable.map((at): Mount => ({ kind: 'show', at: realpathSync(at), isWritable: true })),
  ]
  const depth = ({ at }: Mount) => at.split(path.sep).length
  // At the same path, hiding comes first.
  return mounts.sort((a, b) => depth(a) - depth(b) || a.kind.localeCompare(b.kind))
}

/** PostgreSQL may listen on a socket in a folder that is otherwise hidden, or its authority may be a file there. */
function databasePlaces(databaseUrl: string): string[] {
  try {
    const { searchParams, hostname } = new URL(databaseUrl)
    const named = ['host', 'sslrootcert'].map((name) => searchParams.get(name) ?? '')
    return [...named, decodeURIComponent(hostname)].filter((place) => place.startsWith('/'))
  } catch {
    return []
  }
}
