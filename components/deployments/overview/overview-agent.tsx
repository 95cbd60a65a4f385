'use client'
import { useQuery } from '@tanstack/react-query'
import { Check, CircleHelp, Minus } from 'lucide-react'
import Link from 'next/link'
import { Suspense, use } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { Panel } from '@/components/shared/layout/panel'
import { Badge } from '@/components/ui/badge'
import { cn } from '@/lib/cn'
import { defectsOf } from '@/lib/contracts/agents/server-defects'
import type { Info } from '@/lib/contracts/agents/system'
import type { OfferedFeature } from '@/lib/contracts/wire/capability'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { count } from '@/lib/format/format'
import { assistantsQuery } from '@/lib/queries/assistants'
import { infoQuery } from '@/lib/queries/server-info'
import { routes } from '@/lib/routes'

/** Null if the agent server cannot be asked. */
export type Offered = OfferedFeature[] | null

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
        <LateSkeleton className="my-1 w-48" />
      )}
    </Panel>
  )
}

/** The optional features of the servers, with the reason for each one that is missing or not known. */
export function OverviewCapabilities({ offered, ...place }: DeploymentPlace & { offered: Promise<Offered> }) {
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
      <Suspense fallback={<LateSkeleton className="my-1 w-48" />}>
        <Capabilities offered={offered} />
      </Suspense>
      {info ? <KnownDefects info={info} /> : null}
    </Panel>
  )
}

/** Defects that this version of the server is known for, with what the console does about each. */
function KnownDefects({ info }: { info: Info }) {
  const defects = defectsOf(info)
  if (defects.length === 0) return null
  return (
    <section aria-label="Known defects of this server version" className="mt-3 border-t pt-2 text-xs">
      <h3 className="font-medium text-ink-2">Known defects of this version</h3>
      <ul className="mt-1 flex flex-col gap-2">
        {defects.map(({ id, defect, workaround }) => (
          <li key={id}>
            {defect} <span className="text-ink-3">{workaround}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const STATES = {
  yes: { Icon: Check, label: 'available', tone: 'text-ok' },
  no: { Icon: Minus, label: 'not available', tone: 'text-ink-3' },
  unknown: { Icon: CircleHelp, label: 'unknown', tone: 'text-ink-3' },
}

function Capabilities({ offered }: { offered: Promise<Offered> }) {
  const list = use(offered)
  if (!list) return <p className="text-ink-2">Unknown: the agent server could not be asked.</p>
  return (
    <ul className="flex flex-col gap-1">
      {list.map(({ name, capability }) => {
        const { Icon, label, tone } = STATES[capability.state]
        return (
          <li key={name} className="flex items-start gap-2">
            <Icon role="img" aria-label={label} className={cn('mt-1 size-3 shrink-0', tone)} />
            <span className="min-w-0">
              {name}
              {capability.state === 'yes' ? null : (
                <span className="block break-words text-ink-3 text-xs">{capability.reason}</span>
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
