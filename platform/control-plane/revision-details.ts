import { DO_NOT_USE } from '@/lib/contracts/deployments/resource-defaults'
import type { ResourceSpec } from '@/lib/contracts/deployments/resource-spec'
import type { Platform } from './platform'

export type RevisionDetails = {
  resourceSpec?: ResourceSpec | null | undefined
  trackedPackages?: readonly string[] | null | undefined
}

/**
 * Logs the accepted settings that have no effect here. The record has no place for them, and rejecting them would break
 * callers that send everything they know.
 */
export function noteRevision(
  { logs }: Platform,
  deploymentId: string,
  revisionId: string,
  { resourceSpec, trackedPackages }: RevisionDetails,
): void {
  const spec: Readonly<Record<string, unknown>> = resourceSpec ?? {}
  for (const field of DO_NOT_USE.filter((one) => spec[one] !== null && spec[one] !== undefined))
    logs.append(
      { deploymentId, revisionId, type: 'deploy' },
      { level: 'WARNING', message: `resource_spec.${field} is marked "do not use": it is stored and has no effect.` },
    )
  if (trackedPackages?.length)
    logs.append(
      { deploymentId, revisionId, type: 'build' },
      { level: 'INFO', message: `Tracked packages, as the caller gave them: ${trackedPackages.join(', ')}` },
    )
}
