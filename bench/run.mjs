// `npm run bench -- NAME... [--json]`: ratios against peers, measured in the same run. Without a name: lists them.
import { ensureBuild, ensureDependencies, ensurePlatform } from '../scripts/bootstrap.mjs'

const SUITES = {
  weight: './weight.mjs',
  'control-plane': './control-plane.mjs',
  'list-scale': './list-scale.mjs',
  'thread-scale': './thread-scale.mjs',
  'agent-server': './agent-server.mjs',
  traces: './traces.mjs',
  relay: './relay.mjs',
  fanout: './fanout.mjs',
  join: './join.mjs',
  browser: './browser.mjs',
  tabs: './tabs.mjs',
  state: './state.mjs',
  diff: './diff.mjs',
}
const names = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const isJson = process.argv.includes('--json')

const unknown = names.filter((name) => !Object.hasOwn(SUITES, name))
if (names.length === 0 || unknown.length > 0) {
  console.error(
    `${unknown.length ? `There is no bench ${unknown.join(', ')}. ` : ''}Choose from: ${Object.keys(SUITES).join(', ')}`,
  )
  process.exit(2)
}
ensureDependencies()
ensurePlatform()
const NEED_BUILD = ['weight', 'list-scale', 'thread-scale', 'relay', 'fanout', 'join', 'browser', 'tabs', 'state']
if (names.some((name) => NEED_BUILD.includes(name))) ensureBuild()
for (const name of names) {
  const { measure } = await import(SUITES[name])
  const rows = await measure()
  if (isJson) for (const row of rows) console.log(JSON.stringify(row))
  else console.table(rows)
}
process.exit(0)
