'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { Button } from '@/components/ui/button'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { hasServer, whyNoServer } from '@/lib/contracts/deployments/has-server'
import { deploymentQuery } from '@/lib/queries/deployments'
import { revisionQuery } from '@/lib/queries/revisions'
import { routes } from '@/lib/routes'

type Props = { workspace: string; deployment: Pick<Deployment, 'id' | 'latest_revision_id'> }

/** In place of a page that shows what the agent server says, for a deployment that has none yet. */
export function NoServer({ workspace, deployment: { id, latest_revision_id: latest } }: Props) {
  // The health badge keeps it up to date.
  const { data } = useQuery({ ...revisionQuery(workspace, id, latest ?? ''), enabled: Boolean(latest) })
  return (
    <EmptyState
      title="No agent server yet"
      action={
        latest ? (
          <Button asChild>
            <Link href={routes.revision(workspace, id, latest)}>Open log</Link>
          </Button>
        ) : null
      }
    >
      {latest ? whyNoServer(data?.status ?? '') : whyNoServer(null)}
    </EmptyState>
  )
}

/** What an empty list says of a deployment, unless that has no agent server yet. */
export function UnlessNoServer({
  children,
  ...place
}: {
  workspace: string
  deploymentId: string
  children: ReactNode
}) {
  const { data } = useQuery(deploymentQuery(place.workspace, place.deploymentId))
  return data && !hasServer(data) ? <NoServer workspace={place.workspace} deployment={data} /> : children
}
