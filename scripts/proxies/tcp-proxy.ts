import { once } from 'node:events'
import net from 'node:net'

/** `cut`: connections are closed and refused. `silent`: they stay open, and nothing passes. */
export type ProxyState = 'up' | 'cut' | 'silent'
export type ProxyTarget = { hostname: string; port: string | number }
/** One connection: both of its ends, and how to close them. */
export type ProxyLink = { client: net.Socket; upstream: net.Socket; cut: () => void }

const forward = ({ client, upstream }: ProxyLink) => {
  client.on('data', (data) => upstream.write(data))
  upstream.on('data', (data) => client.write(data))
}

/** A TCP proxy that gives each connection the next of `targets`, and is cut or falls silent on demand. For tests. */
export async function tcpProxy(
  targets: () => readonly ProxyTarget[],
  { pass = forward, host = '127.0.0.1' }: { pass?: (link: ProxyLink) => void; host?: string } = {},
) {
  const open = new Set<net.Socket>()
  let state: ProxyState = 'up'
  let attempts = 0
  const server = net.createServer((client) => {
    const all = targets()
    const target = all[attempts++ % Math.max(1, all.length)]
    if (state === 'cut' || !target) return void client.destroy()
    const upstream = net.connect(Number(target.port), target.hostname)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    pass({ client, upstream, cut })
    if (state === 'silent') for (const socket of [client, upstream]) socket.pause()
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo // listening on TCP
  return {
    host: `${host}:${port}`,
    /** The number of connection attempts. */
    attempts: () => attempts,
    set(next: ProxyState) {
      state = next
      for (const socket of open) {
        if (next === 'cut') socket.destroy()
        else if (next === 'silent') socket.pause()
        else socket.resume()
      }
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
