import type { Servers } from '../compute/compute'

/** Where the gateway sends requests: agent servers, or the platform. It counts what it has open there. */
export type Upstream = Pick<Servers, 'host' | 'port' | 'isSecure' | 'prefix' | 'agent' | 'secret' | 'authenticates'> & {
  openRequests: number
  /** The platform finds the agent servers itself, so it gets the path as it came. */
  isPlatform?: boolean
}

/** Where the requests for a deployment go now. `reason` says why nowhere; `isReturning`: it is being started again. */
export type Route =
  | { state: 'up'; child: Upstream }
  | { state: 'down'; reason?: string; isReturning?: boolean }
  | { state: 'unknown' }
