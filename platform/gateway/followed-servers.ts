import type { PublishedServers } from './entries'
import type { Upstream } from './upstream'

type Address = NonNullable<PublishedServers['address']>

/** Agent servers as the platform has published them, with what this gateway has open there. */
export class FollowedServers implements Upstream {
  openRequests = 0
  #turn = 0

  constructor(
    private address: Address,
    public authenticates: boolean,
  ) {}

  update(address: Address, authenticates: boolean): this {
    this.address = address
    this.authenticates = authenticates
    return this
  }

  get host(): string {
    return this.address.host
  }

  /** Each read takes the next process. */
  get port(): number {
    const { ports } = this.address
    this.#turn += 1
    // There is no port while all processes are being replaced; nothing answers at 9.
    return ports[this.#turn % ports.length] ?? 9
  }

  get isSecure(): boolean {
    return this.address.isSecure
  }

  get prefix(): string {
    return this.address.prefix
  }

  get secret(): string {
    return this.address.secret
  }
}

/** The platform itself, for servers that only it reaches. */
export function platformUpstream(url: string): Upstream {
  const { protocol, hostname, port, pathname } = new URL(url)
  const isSecure = protocol === 'https:'
  return {
    host: hostname,
    port: Number(port) || (isSecure ? 443 : 80),
    isSecure,
    prefix: pathname.replace(/\/$/, ''),
    secret: '',
    authenticates: false,
    openRequests: 0,
    isPlatform: true,
  }
}
