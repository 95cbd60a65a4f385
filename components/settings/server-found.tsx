'use client'
import { useQuery } from '@tanstack/react-query'
import { defectsOf, type ServerDefect } from '@/lib/contracts/agents/server-defects'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { infoQuery } from '@/lib/queries/server-info'

type Found = { version: string | null; runtime: string | null; defects: readonly ServerDefect[] }

/** A server in a sentence: its version, and how many known defects that has. */
export function describeServer({ version, runtime, defects }: Found): string {
  const name = version ? `Agent server ${version}` : 'An agent server that does not report its version'
  const known =
    defects.length === 1 ? ', 1 known defect' : defects.length > 1 ? `, ${defects.length} known defects` : ''
  return `${name}${runtime ? ` (${runtime})` : ''}${known}.`
}

/** What a tested control plane returned. Without deployments its dialect is not known yet. */
export const describeControlPlane = ({ hasDeployments, dialect }: { hasDeployments: boolean; dialect: string }) =>
  hasDeployments
    ? `Connection works. The control plane lists deployments in the ${dialect} dialect.`
    : 'Connection works. The control plane has no deployments yet.'

/** What a registered server says of itself now. */
export function ServerFound({ workspace, deploymentId }: DeploymentPlace) {
  const { data, error } = useQuery(infoQuery(workspace, deploymentId))
  if (!data && !error) return null
  const found = data && {
    version: data.version ?? null,
    runtime: data.context === 'js' ? 'JavaScript' : null,
    defects: defectsOf(data),
  }
  return (
    <span className="block text-ink-3 text-xs">
      {found ? describeServer(found) : error?.message}
      {found?.defects.map(({ id, defect, workaround }) => (
        <span key={id} className="block">
          {defect} {workaround}
        </span>
      ))}
    </span>
  )
}
