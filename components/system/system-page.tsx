'use client'
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LongText } from '@/components/shared/text/long-text'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Info } from '@/lib/contracts/agents/system'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { jsonText } from '@/lib/json/value'
import { apiQuery } from '@/lib/queries/api-query'
import { deploymentQuery } from '@/lib/queries/deployments'
import { infoQuery } from '@/lib/queries/server-info'
import { MetricsCharts } from './metrics-charts'

/** Health, version, metrics and API reference of an agent server. */
export const SystemPage = (place: DeploymentPlace) => (
  <div className="space-y-6">
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <Health {...place} />
      <Reference {...place} />
    </div>
    <About {...place} />
    <Part title="Metrics" note="Updated every 5 seconds.">
      <MetricsCharts {...place} />
    </Part>
  </div>
)

const Part = ({ title, note, children }: { title: string; note?: string; children: ReactNode }) => (
  <section aria-label={title}>
    <h2 className="font-semibold text-base">{title}</h2>
    {note ? <p className="text-ink-3 text-xs">{note}</p> : null}
    <div className="mt-2">{children}</div>
  </section>
)

function Health({ workspace, deploymentId }: DeploymentPlace) {
  const query = apiQuery(agentServer.getOk, { workspace, deploymentId, query: { check_db: true } })
  const { data, error, dataUpdatedAt, errorUpdatedAt } = useQuery({ ...query, refetchInterval: 10_000, retry: false })
  const retry = useTryAgain(query.queryKey)
  return (
    <Part title="Health">
      {error ? (
        error.code === 'unsupported' ? (
          <p className="text-ink-2">{error.message}</p>
        ) : (
          <ErrorNotice error={error.view} onRetry={retry} />
        )
      ) : data ? (
        <StatusBadge tone={data.ok ? 'ok' : 'error'}>
          {data.ok ? 'Healthy, database connected' : 'Unhealthy'}
        </StatusBadge>
      ) : (
        <Skeleton className="h-5 w-40" />
      )}
      {data || error ? (
        <p className="mt-1 text-ink-3 text-xs">
          <code className="font-mono">GET /ok</code>, <RelativeTime at={error ? errorUpdatedAt : dataUpdatedAt} />
        </p>
      ) : null}
    </Part>
  )
}

/** Opens the agent server's own pages in a new tab, without our session or the server's key. */
function Reference({ workspace, deploymentId }: DeploymentPlace) {
  const { data } = useQuery(deploymentQuery(workspace, deploymentId))
  const base = data?.source_config?.custom_url?.replace(/\/$/, '')
  const isWeb = base !== undefined && /^https?:\/\//i.test(base)
  return (
    <Part title="API reference">
      {isWeb ? (
        <div className="flex flex-wrap items-center gap-2">
          {(['/docs', '/openapi.json'] as const).map((path) => (
            <Button key={path} asChild size="sm">
              <a href={base + path} target="_blank" rel="noopener noreferrer">
                {path}
                <ExternalLink aria-hidden />
              </a>
            </Button>
          ))}
        </div>
      ) : (
        <p className="text-ink-2">{data ? 'No URL yet. The first revision sets it.' : 'Loading…'}</p>
      )}
      <p className="mt-1 text-ink-3 text-xs">
        Opens on the agent server in a new tab. The console does not send its key. If the server requires one, use your
        own.
      </p>
    </Part>
  )
}

function About({ workspace, deploymentId }: DeploymentPlace) {
  const query = infoQuery(workspace, deploymentId)
  const { data, error } = useQuery(query)
  const retry = useTryAgain(query.queryKey)
  return (
    <Part title="Server">
      {error && !data ? (
        error.code === 'unsupported' ? (
          <p className="text-ink-2">{error.message}</p>
        ) : (
          <ErrorNotice error={error.view} onRetry={retry} />
        )
      ) : data ? (
        <InfoFacts info={data} />
      ) : (
        <Skeleton className="h-24 w-full" />
      )}
    </Part>
  )
}

function InfoFacts({ info }: { info: Info }) {
  const facts = [
    ['Version', info.version],
    [
      'Graph runtime',
      info.graph_js_version
        ? `JavaScript ${info.graph_js_version}`
        : info.graph_py_version && `Python ${info.graph_py_version}`,
    ],
    ['Context', info.context],
  ] as const
  const flags = Object.entries(info.flags)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 rounded-lg border bg-panel p-3 md:grid-cols-[auto_minmax(0,1fr)]">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-3">{label}</dt>
            <dd className="break-words">{value ? <VisibleText>{value}</VisibleText> : '–'}</dd>
          </div>
        ))}
      </dl>
      <div className="min-w-0">
        {flags.length === 0 ? (
          <p className="text-ink-2">This server does not list its features.</p>
        ) : (
          <ul aria-label="Features" className="flex flex-wrap gap-x-4 gap-y-1">
            {flags.map(([name, value]) => (
              <li key={name}>
                {typeof value === 'boolean' ? (
                  <StatusBadge tone={value ? 'ok' : 'neutral'} title={value ? 'Supported' : 'Not supported'}>
                    {name}
                    {value ? '' : ': not supported'}
                  </StatusBadge>
                ) : (
                  <span className="text-ink-2 text-xs">
                    {name}: <VisibleText>{JSON.stringify(value) ?? ''}</VisibleText>
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
        {Object.keys(info.metadata).length > 0 ? (
          <details className="mt-2 text-xs">
            <summary className="text-ink-3">Metadata</summary>
            <LongText text={jsonText(info.metadata)} className="mt-1 max-h-48 font-mono" scrollLabel="Metadata" />
          </details>
        ) : null}
      </div>
    </div>
  )
}
