// node scripts/backup/build-trail.mjs: bundles the console's own code of the audit trail. In a clone the commands do it each
// time; an image, which is read-only, comes with it.
import path from 'node:path'
import { build } from 'esbuild'
import { root } from '../bootstrap.mjs'

export const TRAIL = path.join(root, '.build/audit-trail.mjs')

export const buildTrail = () =>
  build({
    absWorkingDir: root,
    stdin: {
      contents: `export { checkTrail } from './lib/server/audit/verify'
        export { pruneTrail } from './lib/server/audit/prune'
        export { adoptStore } from './lib/server/process/db'`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile: TRAIL,
    bundle: true,
    packages: 'external',
    alias: { 'server-only': path.join(root, 'scripts/vitest/empty.mjs'), '@': root },
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })

if (process.argv[1] === import.meta.filename) await buildTrail()
