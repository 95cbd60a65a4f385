import { existsSync, readFileSync } from 'node:fs'
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import pg from 'pg'
import { databaseWays, heartbeat, tryAll, WAYS } from './ways.mjs'

// The server's own connections tell their address.
let address
/** @type {any} */
const client = pg.Client.prototype
const { connect } = client
client.connect = function (...args) {
  const { host, port, database, user, password } = this
  address ??= { host, port, database, user, password }
  return connect.apply(this, args)
}
const atBuild = JSON.parse(readFileSync(new URL('found.json', import.meta.url), 'utf8'))
const marks = (name) => (existsSync(new URL(name, import.meta.url)) ? `${name} was written` : null)

async function look() {
  const first = heartbeat()
  await new Promise((resolve) => setTimeout(resolve, 500))
  const found = await tryAll(WAYS)
  if (address) Object.assign(found, await tryAll(await databaseWays(address)))
  found['a process left by the build'] = heartbeat() === first ? null : 'it still runs'
  found['hook in the repository'] = marks('hooked')
  for (const [name, evidence] of Object.entries(atBuild)) found[`${name} (at build time)`] = evidence
  return { found: JSON.stringify({ hasAddress: address !== undefined, found }) }
}
export const graph = new StateGraph(Annotation.Root({ found: Annotation() }))
  .addNode('look', look)
  .addEdge(START, 'look')
  .addEdge('look', END)
  .compile()
