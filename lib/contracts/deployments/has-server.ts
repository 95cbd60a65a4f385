import { isRevisionFailed, isRevisionInProgress } from '../wire/state'
import type { Deployment } from './deployments'

/** Whether a deployment has an agent server to ask. One that never rolled out has none, though it may have a URL. */
export const hasServer = (one: Pick<Deployment, 'source' | 'source_config' | 'active_revision_id'>): boolean =>
  Boolean(one.source_config.custom_url) && (one.source === 'external' || one.active_revision_id !== null)

/** Why a deployment that never rolled out has no agent server. `latest`: the status of its latest revision; null: it has none. */
export function whyNoServer(latest: string | null): string {
  if (latest === null) return 'This deployment has no revision yet, so it has no agent server.'
  if (isRevisionInProgress(latest))
    return 'No revision of this deployment has been deployed yet. The latest one is in progress.'
  const none = 'No revision of this deployment has been deployed'
  if (latest === 'BUILD_FAILED') return `${none}: the build of the latest one failed. The build log has the reason.`
  if (latest === 'DEPLOY_FAILED')
    return `${none}: the roll-out of the latest one failed. The deploy log has the reason.`
  return isRevisionFailed(latest) ? `${none}: the latest one failed.` : `${none} yet.`
}
