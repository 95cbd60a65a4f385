import { z } from 'zod'

/**
 * A listener keeps some WebSockets open here. Each carries one connection of the gateway to a service of the cluster: the
 * control plane names the service, the listener answers `READY` once it is connected, and bytes follow.
 */
export const TUNNEL_PATH = '/v1/listener/tunnel'
export const TunnelTarget = z.object({ service: z.string().max(63), namespace: z.string().max(63) })
export type TunnelTarget = z.output<typeof TunnelTarget>
export const READY = 'ready'
/** Proxies close what is silent for a minute. */
export const PING_MS = 20_000
