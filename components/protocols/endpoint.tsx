'use client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { LoopbackNotice } from '@/components/shared/feedback/loopback-notice'
import { type Snippet, Snippets } from '@/components/shared/layout/snippets'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CopyButton } from '@/components/ui/copy-button'
import { Skeleton } from '@/components/ui/loading'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { deploymentQuery } from '@/lib/queries/deployments'
import { infoQuery } from '@/lib/queries/server-info'

type Props = {
  place: DeploymentPlace
  /** Relative to the deployment's URL. */
  path: string
  snippets: (url: string) => Snippet[]
  children?: ReactNode
}

/** The URL of a protocol endpoint and snippets for calling it. The key is a placeholder, never the console's. */
export function Endpoint({ place, path, snippets, children }: Props) {
  const { data } = useQuery(deploymentQuery(place.workspace, place.deploymentId))
  const base = data?.source_config?.custom_url?.replace(/\/+$/, '')
  const url = base && base + path
  return (
    <section aria-label="Endpoint" className="min-w-0 rounded-lg border bg-panel p-4">
      <h2 className="mb-1 font-semibold text-sm">Endpoint</h2>
      {url ? (
        <>
          <p className="flex min-w-0 items-center gap-1">
            <code className="min-w-0 break-all font-mono text-xs">
              <VisibleText>{url}</VisibleText>
            </code>
            <CopyButton value={url} what="endpoint" />
          </p>
          <LoopbackNotice url={url} />
          {children}
          <details className="mt-2">
            <summary className="text-ink-2 text-xs">Use it from your code</summary>
            <div className="mt-2">
              <Snippets label="Snippet" all={snippets(url)} />
            </div>
          </details>
        </>
      ) : data ? (
        <p className="text-ink-2">No URL yet. The first revision sets it.</p>
      ) : (
        <Skeleton className="h-5 w-80 max-w-full" />
      )}
    </section>
  )
}

/** Why the server does not support a protocol, if its `/info` says so; otherwise undefined. */
export function useUnsupportedReason(
  { workspace, deploymentId }: DeploymentPlace,
  flag: 'mcp' | 'a2a',
): string | undefined {
  const { data } = useQuery({ ...infoQuery(workspace, deploymentId), retry: false })
  if (data?.flags[flag] !== false) return undefined
  return `This agent server does not support ${flag === 'mcp' ? 'MCP' : 'A2A'}.`
}
