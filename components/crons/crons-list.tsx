'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { NotOffered } from '@/components/shared/feedback/not-offered'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { useTryAgain } from '@/components/shared/feedback/use-try-again'
import { useReasons } from '@/components/shared/layout/rights'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { DataTable } from '@/components/shared/list/data-table'
import { Pager } from '@/components/shared/list/pager'
import { SearchBox } from '@/components/shared/list/search-box'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { agentServer } from '@/lib/contracts/agent-server'
import { apiQuery } from '@/lib/queries/api-query'
import { cronsQuery } from '@/lib/queries/crons'
import { routes } from '@/lib/routes'
import { cronColumns } from './cron-columns'
import { cronsQueryOf, PAGE, SORTS } from './crons-query'
import { useAssistants } from './use-assistants'

type Props = { workspace: string; deployment: string }

/** What runs by itself on a deployment, and when. */
export function CronsList({ workspace, deployment }: Props) {
  const search = useSearchParams()
  const setSearch = useSetSearch()
  const { body, filters, sort, state, isCounted, isFiltered, problem } = cronsQueryOf(search)
  const query = cronsQuery(workspace, deployment, body)
  const list = useQuery({ ...query, enabled: !problem, refetchInterval: 30_000 })
  const total = useQuery({
    ...apiQuery(agentServer.countCrons, { workspace, deployment, body: filters }),
    enabled: !problem && isCounted && list.isSuccess,
    retry: false,
    placeholderData: keepPreviousData,
  })
  const { nameOf } = useAssistants(workspace, deployment)
  const columns = useMemo(() => cronColumns(nameOf), [nameOf])
  const retry = useTryAgain(query.queryKey)
  const error = list.error ?? list.failureReason
  if (error?.code === 'unsupported') return <NotOffered what="crons" reason={error.message} />
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <div className="w-full sm:w-72">
          <SearchBox
            label="Search metadata by key:value"
            className="sm:w-full"
            value={search.get('q') ?? ''}
            isInvalid={!!problem}
            onChange={(q) => setSearch({ q })}
          />
          {problem ? (
            <p role="alert" className="mt-1 text-error text-xs">
              {problem}
            </p>
          ) : null}
        </div>
        <Select
          aria-label="State"
          className="w-auto"
          value={state}
          onChange={({ target }) => setSearch({ state: target.value })}
        >
          <option value="">Enabled and disabled</option>
          <option value="on">Enabled</option>
          <option value="off">Disabled</option>
        </Select>
        <Select
          aria-label="Order"
          className="w-auto"
          value={sort}
          onChange={({ target }) => setSearch({ sort: target.value === SORTS[0].value ? '' : target.value })}
        >
          {SORTS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <NewCron workspace={workspace} deployment={deployment} />
      </div>
      {error && list.data ? <StaleNotice {...error.view} at={list.dataUpdatedAt} onRetry={retry} /> : null}
      {error && !list.data && !problem ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <DataTable
          label="Crons"
          columns={columns}
          rows={problem ? [] : list.data}
          rowKey={(one) => one.cron_id}
          rowHref={(one) => routes.cron(workspace, deployment, one.cron_id)}
          pendingRows={8}
          empty={
            isFiltered || problem || body.offset > 0 ? (
              <EmptyState
                title="No cron matches"
                action={<Button onClick={() => setSearch({ q: '', state: '', offset: '' })}>Clear the filters</Button>}
              />
            ) : (
              <EmptyState title="No crons yet">
                A cron starts a run by itself, by the clock. It goes on until it is disabled or deleted.
              </EmptyState>
            )
          }
        />
      )}
      {list.data && !problem ? (
        <Pager
          offset={body.offset}
          size={PAGE}
          shown={list.data.length}
          total={isCounted ? total.data : undefined}
          isLoading={list.isPlaceholderData}
          onMove={(offset) => setSearch({ offset })}
        />
      ) : null}
    </>
  )
}

function NewCron({ workspace, deployment }: Props) {
  const reason = useReasons().run
  const content = (
    <>
      <Plus aria-hidden />
      New cron
    </>
  )
  return (
    <span className="ml-auto">
      {reason ? (
        <Button reason={reason}>{content}</Button>
      ) : (
        <Button asChild>
          <Link href={routes.cron(workspace, deployment, 'new')}>{content}</Link>
        </Button>
      )}
    </span>
  )
}
