import { once } from 'node:events'
import net from 'node:net'

/** What happens to the next statement: it is executed but its reply is lost, or it is cut off before. */
export type DatabaseFault = 'lost reply' | 'cut statement'

/** A TCP proxy for PostgreSQL that loses replies, cuts statements and goes down on demand. For tests. */
export async function databaseProxy(url: string) {
  const target = new URL(url)
  const open = new Set<net.Socket>()
  let fault: { kind: DatabaseFault; of: string } | undefined
  let isDown = false
  let faults = 0
  let attempts = 0
  const server = net.createServer((client) => {
    attempts++
    if (isDown) return void client.destroy()
    const upstream = net.connect(Number(target.port), target.hostname)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    let isReplyLost = false
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    client.on('data', (data) => {
      const now = fault && data.includes(fault.of) ? fault.kind : undefined
      if (now) fault = undefined
      if (now) faults++
      if (now === 'lost reply') isReplyLost = true
      if (now !== 'cut statement') return void upstream.write(data)
      upstream.write(data.subarray(0, data.length >> 1), cut)
    })
    upstream.on('data', (data) => {
      if (isReplyLost) cut()
      else client.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo // listening on TCP
  const own = new URL(url)
  own.host = `127.0.0.1:${port}`
  return {
    url: own.href,
    /** The number of faults so far. */
    faults: () => faults,
    /** The number of connection attempts. */
    attempts: () => attempts,
    /** Whether the last requested fault has happened. */
    isQuiet: () => fault === undefined,
    /** `of`: text of the statement to hit, or the name of a prepared one. */
    failNext(kind: DatabaseFault, of: string) {
      fault = { kind, of }
    },
    setDown(down: boolean) {
      isDown = down
      if (down) for (const socket of open) socket.destroy()
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
