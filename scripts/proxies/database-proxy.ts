import { type ProxyLink, tcpProxy } from './tcp-proxy'

/** What happens to the next statement: it is executed but its reply is lost, or it is cut off before. */
export type DatabaseFault = 'lost reply' | 'cut statement'

/** A TCP proxy for PostgreSQL that loses replies, cuts statements and goes down on demand. For tests. */
export async function databaseProxy(url: string, host = '127.0.0.1') {
  let target = new URL(url)
  let fault: { kind: DatabaseFault; of: string } | undefined
  let faults = 0
  const pass = ({ client, upstream, cut }: ProxyLink) => {
    let isReplyLost = false
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
  }
  const proxy = await tcpProxy(() => [target], { pass, host })
  const own = new URL(url)
  own.host = proxy.host
  return {
    url: own.href,
    attempts: proxy.attempts,
    set: proxy.set,
    close: proxy.close,
    /** The number of faults so far. */
    faults: () => faults,
    /** Whether the last requested fault has happened. */
    isQuiet: () => fault === undefined,
    /** `of`: text of the statement to hit, or the name of a prepared one. */
    failNext(kind: DatabaseFault, of: string) {
      fault = { kind, of }
    },
    /** Takes back a fault that has not happened. */
    calm() {
      fault = undefined
    },
    setDown: (down: boolean) => proxy.set(down ? 'cut' : 'up'),
    /** New connections go to another server. */
    moveTo(next: string) {
      target = new URL(next)
    },
  }
}
