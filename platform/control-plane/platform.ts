import type { GitMirrors } from '../builder/git-mirrors'
import type { UploadStore } from '../builder/uploads'
import type { Compute, Computes } from '../compute/compute'
import type { Listeners } from '../compute/listener/listeners'
import type { CustomUrls } from '../gateway/custom-urls'
import type { RevisionLogs } from '../kernel/revision-log'
import type { Sealer } from '../kernel/seal'
import type { Store } from '../kernel/store'
import type { Rollouts } from '../rollout/rollouts'
import type { Isolation } from '../sandbox/sandbox'

/** The services that handlers use. */
export type Platform = {
  store: Store
  logs: RevisionLogs
  sealer: Sealer
  rollouts: Rollouts
  computes: Computes
  /** Other clusters that have joined. */
  listeners: Listeners
  /** What runs the deployments that name no other listener. */
  ownListener: { name: string; type: Compute['type']; namespaces: readonly string[] | null }
  tenantId: string
  /** What keeps deployed code from the platform, where it runs on this machine. */
  isolation: Isolation
  /** Folder whose git repositories the control plane offers. */
  repositoriesFolder: string
  mirrors: GitMirrors
  uploads: UploadStore
  /** Where clusters reach this server, if the operator has said it. */
  joinUrl: string | null
  /** Address of this server as the caller of the current request knows it. */
  publicUrl(): string
  /** Where gateways that run apart are reached. Deployments' addresses begin with this, or with `publicUrl` without it. */
  gatewayUrl: string | undefined
  /** Its other addresses that are known. */
  ownUrls: readonly string[]
  /** The addresses that deployments have been given. */
  customUrls: CustomUrls
}

/** The platform's only integration, and its own listener; fixed, so that scripts can contain them. */
export const INTEGRATION_ID = '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001'
export const LISTENER_ID = '6f1a2c7e-0b51-4a86-9a5c-3d1f00000002'
