'use client'

import { useQuery } from '@tanstack/react-query'
import { useTryAgain } from '@/components/shared/feedback/error-notice'
import type { ErrorView } from '@/lib/errors'
import { deploymentQuery } from '@/lib/queries/deployments'
import { tracingProjectQuery } from '@/lib/queries/traces'

export type Project =
  | { state: 'pending' }
  | { state: 'found'; session: string }
  /** No run has been logged under the deployment's name yet. */
  | { state: 'none'; name: string }
  | { state: 'failed'; error: ErrorView; retry: () => void }

/** The tracing project of a deployment: the one in its record, else the one with its name. */
export function useProject(workspace: string, deploymentId: string): Project {
  const deployment = useQuery(deploymentQuery(workspace, deploymentId)).data
  const known = deployment?.tracing_project_id
  const name = deployment?.name ?? ''
  const query = tracingProjectQuery(workspace, name)
  const byName = useQuery({ ...query, enabled: name !== '' && !known })
  const retry = useTryAgain(query.queryKey)
  if (known) return { state: 'found', session: known }
  const error = byName.error ?? byName.failureReason
  if (error && !byName.data) return { state: 'failed', error: error.view, retry }
  if (!byName.data) return { state: 'pending' }
  const found = byName.data.find((one) => one.name === name)
  return found ? { state: 'found', session: found.id } : { state: 'none', name }
}
