// `npm run image -- pack FOLDER NAME:TAG | list | remove NAME:TAG`: the embedded platform's image store, whether or not
// it runs. Bundled each time, so that a running platform's programs stay unchanged.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureNode, root } from '../bootstrap.mjs'

ensureNode()
if (!existsSync(path.join(root, 'node_modules/esbuild'))) {
  console.error('[image] The dependencies are not installed yet: run npm start once, or npm ci.')
  process.exit(1)
}
const { build } = await import('esbuild')
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['platform/images/command.ts'],
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  write: false,
  logLevel: 'warning',
})
const bundle = path.join(root, '.build/image.mjs')
mkdirSync(path.dirname(bundle), { recursive: true })
writeFileSync(`${bundle}.${process.pid}`, outputFiles[0].contents)
renameSync(`${bundle}.${process.pid}`, bundle)

const { runImageCommand } = await import(pathToFileURL(bundle).href)
process.exitCode = await runImageCommand({
  args: process.argv.slice(2),
  dataDir: path.resolve(root, process.env.PILOTHOUSE_DATA || '.data'),
  // npm runs scripts in the package's folder, and passes the caller's.
  cwd: process.env.INIT_CWD || process.cwd(),
  say: (line) => console.log(line),
})
