import 'server-only'
import dns from 'node:dns'
import type { LookupFunction, Socket, TcpNetConnectOpts } from 'node:net'
import { buildConnector } from 'undici'
import { type AddressRange, mayConnect, parseAddress, type Reach } from '@/lib/contracts/wire/address'

// Guards against server-side request forgery. It checks addresses inside the socket's own lookup, so DNS rebinding gets no
// second answer; Node skips the lookup for literal addresses, so those are checked before and every remote address after.

export const REFUSED_ADDRESS = 'ERR_REFUSED_ADDRESS'
/** Thrown when the guard refuses an address. Callers see it as the cause of undici's error. */
export class RefusedAddress extends Error {
  readonly code = REFUSED_ADDRESS
  constructor(
    readonly hostname: string,
    readonly address: string,
  ) {
    super(`${hostname} is at ${address}, where this server may not connect.`)
    this.name = 'RefusedAddress'
  }
}

type Resolve = (
  hostname: string,
  options: dns.LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void

type GuardOptions = {
  reach: Reach
  ranges: readonly AddressRange[]
  timeoutMs: number
  /** Further options of its sockets. */
  socket?: Pick<TcpNetConnectOpts, 'onread'> & { highWaterMark: number }
  resolve?: Resolve
}

/** An undici connector for a reach. With `open`, addresses outside the ranges need TLS on a usual port. */
export function guardedConnector(options: GuardOptions): buildConnector.connector {
  const connect = addressConnector(options)
  const connectInRanges = addressConnector({ ...options, reach: 'ranges' })
  return (to, done) => {
    const isUsual = to.protocol === 'https:' && ['', '443', '8443'].includes(to.port ?? '')
    return (options.reach === 'open' && !isUsual ? connectInRanges : connect)(to, done)
  }
}

/** Never connects to an address that `mayConnect` refuses. `resolve` replaces DNS in tests. */
export function addressConnector({
  reach,
  ranges,
  timeoutMs,
  socket,
  resolve = dns.lookup,
}: GuardOptions): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      // One refused address refuses the name: we cannot know which one the socket would pick.
      const refused = addresses.find(({ address }) => !mayConnect(address, reach, ranges))
      if (refused) return done(new RefusedAddress(hostname, refused.address), '')
      const first = addresses[0]
      if (!first) return done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '')
      return options.all ? done(null, addresses) : done(null, first.address, first.family)
    })
  }
  const connect = buildConnector({ timeout: timeoutMs, lookup, ...socket })
  return (options, done) => {
    const literal = parseAddress(options.hostname)
    if (literal && !mayConnect(options.hostname, reach, ranges)) {
      done(new RefusedAddress(options.hostname, literal.toString()), null)
      return
    }
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return done(error, null)
      const remote = (socket as Socket).remoteAddress ?? ''
      if (mayConnect(remote, reach, ranges)) return done(null, socket)
      socket.destroy()
      return done(new RefusedAddress(options.hostname, remote || 'an unknown address'), null)
    })
  }
}
