'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { EmptyState, NotOffered } from '@/components/shared/feedback/empty-state'
import { ActionLink } from '@/components/shared/layout/action-link'
import { useReasons } from '@/components/shared/layout/rights'
import { ListPage } from '@/components/shared/list/list-page'
import { Pager } from '@/components/shared/list/pager'
import { useList } from '@/components/shared/list/use-list'
import { Select } from '@/components/ui/input'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { apiQuery } from '@/lib/queries/api-query'
import { cronsQuery, lastCronRunsQuery } from '@/lib/queries/crons'
import { routes } from '@/lib/routes'
import { cronColumns } from './cron-columns'
import { cronList, cronsQueryOf, PAGE } from './crons-query'
import { useAssistants } from './use-assistants'

type Props = DeploymentPlace

/** Scheduled runs of a deployment. */
export function CronsList({ workspace, deploymentId }: Props) {
  const list = useList(cronList)
  const { body, filters, state, isCounted, isFiltered, problem } = cronsQueryOf(list.search)
  const options = cronsQuery(workspace, deploymentId, body)
  const result = useQuery({ ...options, enabled: !problem, refetchInterval: 30_000 })
  const total = useQuery({
    ...apiQuery(agentServer.countCrons, { workspace, deploymentId, body: filters }),
    enabled: !problem && isCounted && result.isSuccess,
    retry: false,
    placeholderData: keepPreviousData,
  })
  const { nameOf } = useAssistants(workspace, deploymentId)
  const rows = result.data
  const last = useQuery({
    ...lastCronRunsQuery(workspace, deploymentId, rows ?? []),
    enabled: rows !== undefined && rows.length > 0,
  })
  const { data: lastRuns, isLoading } = last
  const columns = useMemo(
    () => cronColumns(nameOf, (cron) => ({ workspace, run: lastRuns?.[cron], isLoading })),
    [nameOf, workspace, lastRuns, isLoading],
  )
  const reason = useReasons().run
  const error = result.error ?? result.failureReason
  if (error?.code === 'unsupported') return <NotOffered what="crons" reason={error.message} />
  return (
    <ListPage
      label="Crons"
      list={list}
      searchProblem={problem}
      tools={
        <Select
          aria-label="State"
          className="w-auto"
          value={state}
          onChange={({ target }) => list.set({ state: target.value })}
        >
          <option value="">Enabled and disabled</option>
          <option value="on">Enabled</option>
          <option value="off">Disabled</option>
        </Select>
      }
      verbs={
        <ActionLink href={routes.cron(workspace, deploymentId, 'new')} reason={reason}>
          <Plus aria-hidden />
          New cron
        </ActionLink>
      }
      reading={{ result, queryKey: options.queryKey }}
      rows={rows}
      columns={columns}
      rowKey={(one) => one.cron_id}
      rowHref={(one) => routes.cron(workspace, deploymentId, one.cron_id)}
      pendingRows={8}
      isNarrowed={isFiltered}
      isBeyond={body.offset > 0}
      empty={
        <EmptyState title="No crons yet">A cron starts runs on a schedule until it is disabled or deleted.</EmptyState>
      }
      pager={
        rows ? (
          <Pager
            offset={body.offset}
            size={PAGE}
            shown={rows.length}
            total={isCounted ? total.data : undefined}
            isLoading={result.isPlaceholderData}
            onMove={(offset) => list.set({ offset })}
          />
        ) : null
      }
    />
  )
}
