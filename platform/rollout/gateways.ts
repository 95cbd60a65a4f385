import type { Servers } from '../compute/compute'

/** The gateways that run apart from the platform. */
export type Gateways = {
  /** Lets them route to these servers. Resolves when all do, or after a limit. Never rejects. */
  lead(deploymentId: string, servers: Servers): Promise<void>
  /** Call whenever requests for a deployment go elsewhere than before, or are refused for another reason. */
  changed(deploymentId: string): void
  /** Requests that they have open to servers that were replaced. */
  openRequests(servers: Servers): Promise<number>
}
