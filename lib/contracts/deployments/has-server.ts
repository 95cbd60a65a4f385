import type { Deployment } from './deployments'

/** Whether a deployment has an agent server to ask. One that never rolled out has none, though it may have a URL. */
export const hasServer = (one: Pick<Deployment, 'source' | 'source_config' | 'active_revision_id'>): boolean =>
  Boolean(one.source_config.custom_url) && (one.source === 'external' || one.active_revision_id !== null)
