// Bundles the platform's programs. Packages stay outside, so that graphs and server share one runtime.
import path from 'node:path'
import { build } from 'esbuild'
import { root } from './bootstrap.mjs'

await build({
  absWorkingDir: root,
  entryPoints: {
    platform: 'platform/main.ts',
    'agent-server': 'platform/agent-server/main.ts',
    container: 'platform/container.ts',
    listener: 'platform/listener.ts',
  },
  outdir: path.join(root, '.build'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
})
