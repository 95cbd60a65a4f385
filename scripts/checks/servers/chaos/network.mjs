// Hosts for agent servers, each on a network cable of its own: a network namespace (`ip netns`, Linux as root). Where the
// machine refuses that, two proxies stand in for the cable.
import { spawnSync } from 'node:child_process'

const ip = (...args) => {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
}

/**
 * Gives `{ kind, hosts, place(), links, close() }`. Each host has `cut()` and `mend()`, after which all that was sent meanwhile is lost
 * or late, and no end was told.
 * @param {{ count: number, databaseUrl: string, databaseProxy: any, tcpProxy: any }} options
 */
export async function startNetwork(options) {
  try {
    return await namespaces(options)
  } catch (error) {
    console.error(`[chaos] No network namespaces, so cables are proxies: ${error.message}`)
    return await proxies(options)
  }
}

/** A free host for an agent server, for as long as its process lives. */
const placing = (hosts) => () => {
  const host = hosts.find(({ isTaken }) => !isTaken)
  if (!host) throw new Error('No host is free.')
  host.isTaken = true
  return { ...host.place, onStarted: host.onStarted, release: () => Object.assign(host, { isTaken: false }) }
}

async function namespaces({ count, databaseUrl, databaseProxy }) {
  const name = `ph${process.pid}`
  const subnet = `10.77.${process.pid % 250}`
  const gateway = `${subnet}.1`
  const made = []
  const make = (what, undo) => {
    ip(...what)
    made.unshift(undo)
  }
  const undoAll = () => {
    for (const undo of made.splice(0)) spawnSync('ip', undo)
  }
  process.on('exit', undoAll)
  const hosts = []
  try {
    make(['link', 'add', name, 'type', 'bridge'], ['link', 'del', name])
    ip('addr', 'add', `${gateway}/24`, 'dev', name)
    ip('link', 'set', name, 'up')
    for (let n = 0; n < count; n += 1) {
      const space = `${name}-${n}`
      const cable = `${name}c${n}`
      const address = `${subnet}.${n + 2}`
      make(['netns', 'add', space], ['netns', 'del', space])
      make(['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space], ['link', 'del', cable])
      ip('link', 'set', cable, 'master', name, 'up')
      ip('-n', space, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
      ip('-n', space, 'link', 'set', 'eth0', 'up')
      ip('-n', space, 'link', 'set', 'lo', 'up')
      const link = await databaseProxy(databaseUrl, gateway)
      hosts.push({
        link,
        place: { databaseUrl: link.url, host: address, command: ['ip', 'netns', 'exec', space] },
        cut: () => ip('link', 'set', cable, 'down'),
        mend: () => ip('link', 'set', cable, 'up'),
      })
    }
  } catch (error) {
    for (const { link } of hosts) await link.close()
    undoAll()
    throw error
  }
  return {
    kind: 'network namespaces',
    hosts,
    place: placing(hosts),
    async close() {
      for (const { link } of hosts) await link.close()
      undoAll()
    },
  }
}

async function proxies({ count, databaseUrl, databaseProxy, tcpProxy }) {
  const hosts = []
  for (let n = 0; n < count; n += 1) {
    const link = await databaseProxy(databaseUrl)
    let target
    const front = await tcpProxy(() => (target ? [target] : []))
    const both = (state) => {
      link.set(state)
      front.set(state)
    }
    hosts.push({
      link,
      front,
      place: { databaseUrl: link.url },
      /** The address under which others find the agent server at `url`. */
      onStarted: (url) => {
        target = new URL(url)
        return `http://${front.host}`
      },
      cut: () => both('silent'),
      mend: () => both('up'),
    })
  }
  return {
    kind: 'proxies',
    hosts,
    place: placing(hosts),
    async close() {
      for (const { link, front } of hosts) await Promise.all([link.close(), front.close()])
    },
  }
}
