import type { RevisionLogs } from '../kernel/revision-log'
import type { Sealer } from '../kernel/seal'
import type { Store } from '../kernel/store'
import type { Rollouts } from '../rollout/rollouts'

/** What the handlers work with. */
export type Platform = {
  store: Store
  logs: RevisionLogs
  sealer: Sealer
  rollouts: Rollouts
  tenantId: string
  /** Where git repositories are looked for that the control plane offers by itself. */
  repositoriesFolder: string
  /** Address of this server, for the deployments' own; known once it listens. */
  publicUrl(): string
}

/** The one integration and the one listener of this machine; fixed, so that they may stand in scripts. */
export const INTEGRATION_ID = '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001'
export const LISTENER_ID = '6f1a2c7e-0b51-4a86-9a5c-3d1f00000002'
