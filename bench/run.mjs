// `npm run bench -- NAME... [--json]`: ratios against peers, measured in the same run. Without a name: lists them. Exits
// with 1 if a goal was missed, an event lost or doubled, or something timed out.
import { ensureBuild, ensureDependencies, ensurePlatform } from '../scripts/bootstrap.mjs'
import { requireChromium } from '../scripts/chromium.mjs'
import { findNginx, HOW_TO_GET_NGINX } from './live/processes.mjs'
import { missesOf } from './verdict.mjs'

const SUITES = {
  weight: './weight.mjs',
  'control-plane': './control-plane.mjs',
  'list-scale': './lists/list-scale.mjs',
  'thread-scale': './lists/thread-scale.mjs',
  'agent-server': './agent-server.mjs',
  traces: './traces.mjs',
  relay: './relay.mjs',
  'runs-list': './lists/runs-list.mjs',
  fanout: './fanout.mjs',
  join: './join.mjs',
  'many-runs': './live/many-runs.mjs',
  idle: './live/idle.mjs',
  browser: './browser.mjs',
  tabs: './tabs.mjs',
  state: './state.mjs',
  diff: './diff.mjs',
  growth: './growth/growth.mjs',
  notify: './live/notify.mjs',
}
/** What a suite cannot do without. nginx is a peer that may be left out. */
const NEED_BROWSER = ['weight', 'list-scale', 'thread-scale', 'runs-list', 'traces', 'browser', 'tabs', 'state', 'diff']
const NEED_NGINX = ['relay', 'fanout']
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
if (names.some((name) => NEED_BROWSER.includes(name))) requireChromium()
if (names.some((name) => NEED_NGINX.includes(name)) && !findNginx().program)
  console.error(`[bench] ${HOW_TO_GET_NGINX}`)
ensurePlatform()
const NEED_BUILD = [
  'weight',
  'list-scale',
  'thread-scale',
  'runs-list',
  'traces',
  'relay',
  'fanout',
  'join',
  'many-runs',
  'idle',
  'browser',
  'tabs',
  'state',
]
if (names.some((name) => NEED_BUILD.includes(name))) ensureBuild()
const misses = []
for (const name of names) {
  const { measure } = await import(SUITES[name])
  const rows = await measure()
  misses.push(...rows.flatMap((row) => missesOf(row).map((miss) => `${row.id}: ${miss}`)))
  if (isJson) for (const row of rows) console.log(JSON.stringify(row))
  else console.table(rows)
}
for (const miss of misses) console.error(`[bench] MISSED ${miss}`)
process.exit(misses.length > 0 ? 1 : 0)
