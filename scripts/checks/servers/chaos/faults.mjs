// What chaos.mjs breaks, by name. Each resolves when it is over.
import { setTimeout as sleep } from 'node:timers/promises'

const between = (least, most) => least + Math.random() * (most - least)
export const pick = (list) => list[Math.floor(Math.random() * list.length)]

/** @param {{ consoles: any[], cluster: any, agents: any, network: any, database: any, replicas: number }} parts */
export function faultsOf({ consoles, cluster, agents, network, database, replicas }) {
  const links = [...consoles, ...network.hosts].map(({ link }) => link)
  const whileDown = async (some, least, most) => {
    for (const link of some) link.setDown(true)
    await sleep(between(least, most))
    for (const link of some) link.setDown(false)
  }
  const whileCut = async (hosts, least, most) => {
    for (const host of hosts) host.cut()
    await sleep(between(least, most))
    for (const host of hosts) host.mend()
  }
  const whileState = async (state, least, most) => {
    agents.set(state)
    await sleep(between(least, most))
    agents.set('up')
  }
  return {
    'console killed': () => pick(consoles.filter(({ isUp }) => isUp))?.kill(),
    'agent server killed': async () => {
      while (cluster.size < replicas - 1) await sleep(100)
      await cluster.replace(pick(cluster.owners))
    },
    'agent server off the network': () => whileCut([pick(network.hosts)], 3000, 20_000),
    'agent servers off the network': () => whileCut(network.hosts, 1000, 12_000),
    'agent servers unreachable': () => whileState('cut', 1000, 5000),
    'agent servers silent': () => whileState('silent', 2000, 12_000),
    'agent servers cut from the database': () => whileDown(links.slice(consoles.length), 1000, 4000),
    'console cut from the database': () => whileDown([pick(consoles).link], 1000, 5000),
    'database crashed': () => database.restart({ isCrash: true, pauseMs: between(0, 3000) }),
    'database restarted': () => database.restart({ isCrash: false, pauseMs: between(0, 3000) }),
    'database failed over': async () => {
      await database.failOver(between(0, 3000))
      for (const link of links) link.moveTo(database.url)
    },
  }
}

/** Breaks one thing after another until `isOver`, each kind as often as the others. Gives how often. */
export async function breakThings(faults, { only, isOver }) {
  const names = only ? [only] : Object.keys(faults)
  const counts = Object.fromEntries(names.map((name) => [name, 0]))
  for (;;) {
    await sleep(between(3000, 8000))
    if (isOver()) return counts
    const least = Math.min(...Object.values(counts))
    const name = pick(names.filter((one) => counts[one] === least))
    counts[name] += 1
    if (process.env.CHAOS_LOG) console.error(`[chaos] ${new Date().toISOString()} ${name}`)
    await faults[name]()
  }
}
