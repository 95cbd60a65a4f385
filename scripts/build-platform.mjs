// Bundles the platform's programs. Packages stay outside, so that graphs and server share one runtime.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { root } from './bootstrap.mjs'

/** How esbuild bundles a program for Node. */
export const PROGRAM = /** @type {const} */ ({
  absWorkingDir: root,
  outdir: path.join(root, '.build'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  logLevel: 'warning',
})

const launch = (file) => path.join(root, 'scripts/launch', file)

/** What the programs with a log of JSON lines begin with. The others print what agents print. */
const jsonConsole = {
  name: 'json-console',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]platform[\\/](main|listener|gateway[\\/]main)\.ts$/ }, ({ path: file }) => ({
      contents: `import ${JSON.stringify(launch('json-console.mjs'))}; ${readFileSync(file, 'utf8')}`,
      loader: /** @type {const} */ ('ts'),
    })),
}

/** The same for a program that serves. */
export const SERVER = { ...PROGRAM, inject: [launch('lost-output.mjs')], plugins: [jsonConsole] }

if (process.argv[1] === import.meta.filename)
  await build({
    ...SERVER,
    entryPoints: {
      platform: 'platform/main.ts',
      'agent-server': 'platform/agent-server/main.ts',
      container: 'platform/container.ts',
      listener: 'platform/listener.ts',
      gateway: 'platform/gateway/main.ts',
    },
    packages: 'external',
    sourcemap: true,
  })
