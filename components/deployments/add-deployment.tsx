'use client'
import { Plus } from 'lucide-react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ActionLink } from '@/components/shared/layout/action-link'
import { useReasons } from '@/components/shared/layout/rights'
import { routes } from '@/lib/routes'

/** Without a control plane, nothing can be deployed, but servers can be added by their address. */
export function AddDeployment({ workspace }: { workspace: string }) {
  const { administer, hasControlPlane } = useReasons()
  return (
    <ActionLink
      href={hasControlPlane ? routes.newDeployment(workspace) : routes.settings(workspace)}
      reason={administer}
      variant="primary"
    >
      <Plus aria-hidden />
      {hasControlPlane ? 'New deployment' : 'Add agent server'}
    </ActionLink>
  )
}

export function NoDeployments() {
  const { hasControlPlane } = useReasons()
  return (
    <EmptyState title="No deployments yet">
      {hasControlPlane ? 'Create one from a repository or an image.' : 'Add a running agent server by its address.'}
    </EmptyState>
  )
}
