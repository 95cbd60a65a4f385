'use client'
import { useQuery } from '@tanstack/react-query'
import { Check, Minus } from 'lucide-react'
import Link from 'next/link'
import { Suspense, use } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Badge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/skeleton'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { count } from '@/lib/format/format'
import { assistantsQuery } from '@/lib/queries/assistants'
import { infoQuery } from '@/lib/queries/system'
import { routes } from '@/lib/routes'
import { Panel } from './panel'

const MOST = 100
const SHOWN = 8

/** The assistants shown on the overview; the first one's graph is used in the snippets. */
export const overviewAssistants = ({ workspace, deploymentId }: DeploymentPlace) =>
  assistantsQuery(workspace, deploymentId, { limit: MOST, sort_by: 'created_at', sort_order: 'asc' })

/** The graphs and assistants of the agent server, or why they cannot be read. */
export function OverviewAssistants(place: DeploymentPlace) {
  const { data, error, refetch } = useQuery(overviewAssistants(place))
  const all = <Link href={routes.assistants(place.workspace, place.deploymentId)}>All assistants</Link>
  if (error && !data)
    return (
      <Panel title="Graphs and assistants" action={all}>
        <ErrorNotice error={error.view} onRetry={() => void refetch()} />
      </Panel>
    )
  const graphs = [...new Set(data?.map((one) => one.graph_id))]
  const own = data?.filter((one) => one.metadata.created_by !== 'system') ?? []
  const number = (many: number) => (data && data.length >= MOST ? `${count(many)} or more` : count(many))
  return (
    <Panel title="Graphs and assistants" action={all}>
      {data ? (
        <>
          <p className="text-ink-2">
            {number(graphs.length)} {graphs.length === 1 ? 'graph' : 'graphs'}, {number(data.length)}{' '}
            {data.length === 1 ? 'assistant' : 'assistants'}
            {own.length > 0 ? `, ${number(own.length)} custom` : ''}
          </p>
          <ul className="mt-2 flex flex-wrap gap-1">
            {graphs.slice(0, SHOWN).map((graph) => (
              <li key={graph}>
                <Badge className="max-w-full break-all font-mono">{graph}</Badge>
              </li>
            ))}
            {graphs.length > SHOWN ? <li className="text-ink-3 text-xs">and {graphs.length - SHOWN} more</li> : null}
          </ul>
        </>
      ) : (
        <Skeleton className="my-1 w-48" />
      )}
    </Panel>
  )
}

export type Offered = { name: string; reason: string | null }[]

/** The features of the server, with the reason for each missing one. */
export function OverviewCapabilities({ offered, ...place }: DeploymentPlace & { offered: Promise<Offered | null> }) {
  const { data: info } = useQuery(infoQuery(place.workspace, place.deploymentId))
  const runtime = info?.graph_js_version ? `JavaScript ${info.graph_js_version}` : info?.graph_py_version
  return (
    <Panel title="Capabilities">
      {info?.version ? (
        <p className="mb-2 text-ink-2 text-xs">
          Agent server {info.version}
          {runtime ? `, graph runtime ${runtime}` : ''}
        </p>
      ) : null}
      <Suspense fallback={<Skeleton className="my-1 w-48" />}>
        <Capabilities offered={offered} />
      </Suspense>
    </Panel>
  )
}

function Capabilities({ offered }: { offered: Promise<Offered | null> }) {
  const list = use(offered)
  if (!list) return <p className="text-ink-2">Not reachable</p>
  return (
    <ul className="flex flex-col gap-1">
      {list.map(({ name, reason }) => (
        <li key={name} className="flex items-start gap-2">
          {reason === null ? (
            <Check role="img" aria-label="available" className="mt-1 size-3 shrink-0 text-ok" />
          ) : (
            <Minus role="img" aria-label="not available" className="mt-1 size-3 shrink-0 text-ink-3" />
          )}
          <span className="min-w-0">
            {name}
            {reason ? <span className="block text-ink-3 text-xs">{reason}</span> : null}
          </span>
        </li>
      ))}
    </ul>
  )
}
