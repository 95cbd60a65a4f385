'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import type { Column } from '@/components/shared/list/data-table'
import type { ListDefinition } from '@/components/shared/list/list-definition'
import { ListPage } from '@/components/shared/list/list-page'
import { Pager } from '@/components/shared/list/pager'
import { useList } from '@/components/shared/list/use-list'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { amountText, NONE, secondsText } from '@/components/traces/common/format'
import { useDeploymentOf } from '@/components/traces/common/use-projects'
import type { TracingProject } from '@/lib/contracts/traces/projects'
import { count } from '@/lib/format/format'
import { projectPageQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import { timeOf } from '@/lib/traces/facts'

const SIZE = 50
const LIST: ListDefinition = {
  noun: 'projects',
  search: { name: 'q', label: 'Search projects' },
  noFilter: { q: '' },
}

/** Every tracing project of a workspace: those of deployments, and those that SDKs named. */
export function ProjectsList({ workspace }: { workspace: string }) {
  const list = useList(LIST)
  const { search, set } = list
  const offset = Math.max(0, Number(search.get('offset')) || 0)
  const name = search.get('q')?.trim() ?? ''
  const options = projectPageQuery(workspace, { name, offset, limit: SIZE })
  const result = useQuery(options)
  const deploymentOf = useDeploymentOf(workspace)
  const rows = result.data?.map((one) => ({ ...one, deployment: deploymentOf(one) }))
  return (
    <ListPage
      label="Projects"
      list={list}
      reading={{ result, queryKey: options.queryKey }}
      rows={rows}
      columns={columnsOf(workspace)}
      rowKey={({ id }) => id}
      rowHref={({ id }) => routes.projectTraces(workspace, id)}
      isNarrowed={name !== '' || offset > 0}
      empty={<EmptyState title="No projects yet">The first logged run creates one.</EmptyState>}
      pager={
        rows ? (
          <Pager
            {...{ offset, size: SIZE, shown: rows.length, isLoading: result.isPlaceholderData }}
            onMove={(to) => set({ offset: to })}
          />
        ) : null
      }
    />
  )
}

type Row = TracingProject & { deployment: string | undefined }

const columnsOf = (workspace: string): Column<Row>[] => [
  {
    id: 'name',
    header: 'Project',
    className: 'max-w-64',
    cell: ({ name, id }) => (
      <span className="block truncate" title={name ?? id}>
        <VisibleText>{name || id}</VisibleText>
      </span>
    ),
  },
  {
    id: 'deployment',
    header: 'Logged by',
    from: 'sm',
    cell: ({ deployment }) =>
      deployment ? (
        <Link prefetch={false} className="text-accent underline" href={routes.deployment(workspace, deployment)}>
          Deployment
        </Link>
      ) : (
        <span className="text-ink-3" title="An SDK, an exporter, or a deployment that is not listed">
          –
        </span>
      ),
  },
  figure('runs', 'Traces', ({ run_count }) => (run_count == null ? NONE : count(run_count))),
  figure(
    'failed',
    'Failed',
    ({ error_rate }) => (error_rate == null ? NONE : `${Math.round(error_rate * 100)}%`),
    'sm',
  ),
  figure('p50', 'p50', ({ latency_p50 }) => secondsText(latency_p50), 'md'),
  figure('p99', 'p99', ({ latency_p99 }) => secondsText(latency_p99), 'md'),
  figure('tokens', 'Tokens', ({ total_tokens }) => amountText(total_tokens), 'lg'),
  {
    id: 'last',
    header: 'Last run',
    className: 'w-28 whitespace-nowrap text-ink-2',
    cell: ({ last_run_start_time }) => <RelativeTime at={timeOf(last_run_start_time) ?? null} />,
  },
]

function figure(id: string, header: string, text: (row: Row) => string, from?: 'sm' | 'md' | 'lg'): Column<Row> {
  return {
    ...{ id, header, className: 'w-20 whitespace-nowrap text-right text-ink-2 tabular-nums' },
    ...(from && { from }),
    cell: text,
  }
}
