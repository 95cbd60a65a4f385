'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ActionLink } from '@/components/shared/layout/action-link'
import { useReasons } from '@/components/shared/layout/rights'
import { ListPage } from '@/components/shared/list/list-page'
import { Pager } from '@/components/shared/list/pager'
import { useList } from '@/components/shared/list/use-list'
import { agentServer } from '@/lib/contracts/agent-server'
import type { SavedView } from '@/lib/lists/saved'
import { apiQuery } from '@/lib/queries/api-query'
import { assistantsQuery, defaultAssistantsQuery } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { assistantColumns } from './assistant-columns'
import { assistantList, assistantQueryOf, filtersFor } from './list-query'

type Props = { workspace: string; deploymentId: string; views: readonly SavedView[] }

/** Assistants of a deployment: the default one of each graph, and custom ones. */
export function AssistantsList({ workspace, deploymentId, views }: Props) {
  const list = useList(assistantList, { workspace, views })
  const { body, filters, isFiltered } = assistantQueryOf(list.search)
  const options = assistantsQuery(workspace, deploymentId, body)
  // As crons: an open list notices that its server is away.
  const result = useQuery({ ...options, refetchInterval: 30_000 })
  // Without a total if the server cannot count.
  const total = useQuery({
    ...apiQuery(agentServer.countAssistants, { workspace, deploymentId, body: filters }),
    retry: false,
    placeholderData: keepPreviousData,
  })
  const reason = useReasons().run
  const columns = useMemo(() => assistantColumns(workspace, deploymentId, reason), [workspace, deploymentId, reason])
  const graphs = useGraphs(workspace, deploymentId, body.graph_id)
  const rows = result.data
  return (
    <ListPage
      label="Assistants"
      list={list}
      filters={filtersFor(graphs)}
      verbs={
        <ActionLink href={routes.newAssistant(workspace, deploymentId, { graph: body.graph_id })} reason={reason}>
          <Plus aria-hidden />
          New assistant
        </ActionLink>
      }
      reading={{ result, queryKey: options.queryKey }}
      rows={rows}
      columns={columns}
      rowKey={(one) => one.assistant_id}
      rowHref={(one) => routes.assistant(workspace, deploymentId, one.assistant_id)}
      isNarrowed={isFiltered}
      isBeyond={body.offset > 0}
      empty={<EmptyState title="No assistants">The agent server of this deployment has no graphs.</EmptyState>}
      pager={
        rows ? (
          <Pager
            offset={body.offset}
            size={body.limit}
            shown={rows.length}
            total={total.data}
            isLoading={result.isPlaceholderData}
            onMove={(offset) => list.set({ offset })}
          />
        ) : null
      }
    />
  )
}

/** The names of all graphs: each has a default assistant. */
function useGraphs(workspace: string, deploymentId: string, chosen: string | undefined): string[] {
  const list = useQuery(defaultAssistantsQuery(workspace, deploymentId))
  return [...new Set([...(list.data ?? []).map((one) => one.graph_id), ...(chosen ? [chosen] : [])])]
}
