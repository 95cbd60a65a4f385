'use client'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { DataTable } from '@/components/shared/data-table'
import { EmptyState } from '@/components/shared/empty-state'
import { ErrorNotice } from '@/components/shared/error-notice'
import { PageHeader } from '@/components/shared/page-header'
import { Pager } from '@/components/shared/pager'
import { SearchBox } from '@/components/shared/search-box'
import { StaleNotice } from '@/components/shared/stale-notice'
import { useSetSearch } from '@/components/shared/use-set-search'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { DEPLOYMENT_STATUSES } from '@/lib/contracts/state'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { deploymentColumns } from './columns'
import { DEPLOYMENT_TYPES, isFiltered, listQueryOf, NO_FILTER, PAGE_SIZE } from './list-query'
import { useLiveDeployments } from './use-live'

export function DeploymentsPage({ workspace }: { workspace: string }) {
  const search = useSearchParams()
  const query = listQueryOf(search)
  const { problem, refetchInterval } = useLiveDeployments(workspace, query)
  const list = useQuery({ ...deploymentsQuery(workspace, query), refetchInterval })
  const { data, dataUpdatedAt, refetch, isPlaceholderData } = list
  // While it is tried again the first failure is said already: a server that hangs takes minutes to fail for good.
  const error = list.error ?? list.failureReason
  const columns = useMemo(() => deploymentColumns(workspace), [workspace])
  const set = useSetSearch()
  const message = error?.view.message ?? problem
  const retry = () => void refetch()

  return (
    <>
      <PageHeader title="Deployments" />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchBox
          label="Search by name"
          value={search.get('name_contains') ?? ''}
          onChange={(value) => set({ name_contains: value })}
        />
        <Choice
          label="Status"
          any="Any status"
          options={DEPLOYMENT_STATUSES}
          value={search.get('status') ?? ''}
          onChange={(value) => set({ status: value })}
        />
        <Choice
          label="Type"
          any="Any type"
          options={DEPLOYMENT_TYPES}
          value={search.get('deployment_type') ?? ''}
          onChange={(value) => set({ deployment_type: value })}
        />
      </div>
      {message && data ? <StaleNotice message={message} at={dataUpdatedAt} onRetry={retry} /> : null}
      {error && !data ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <DataTable
          label="Deployments"
          columns={columns}
          rows={data?.resources}
          rowKey={(one) => one.id}
          rowHref={(one) => routes.deployment(workspace, one.id)}
          empty={
            isFiltered(search) || query.offset > 0 ? (
              <EmptyState
                title="No deployment matches"
                action={<Button onClick={() => set({ ...NO_FILTER, offset: '' })}>Show all deployments</Button>}
              >
                {query.offset > 0
                  ? 'This page lies beyond the last one.'
                  : 'None has this name, status and type. Names match anywhere in the text.'}
              </EmptyState>
            ) : (
              <EmptyState title="No deployments yet">
                Create one through the control-plane API (POST /v2/deployments). It appears here with its first revision
                rolling out.
              </EmptyState>
            )
          }
        />
      )}
      {data ? (
        <Pager
          offset={query.offset}
          size={PAGE_SIZE}
          shown={data.resources.length}
          isLoading={isPlaceholderData}
          onMove={(offset) => set({ offset })}
        />
      ) : null}
    </>
  )
}

type ChoiceProps = {
  label: string
  any: string
  options: readonly string[]
  value: string
  onChange: (value: string) => void
}

/** One filter of the list. A value from the URL that is none of the options is shown too: it filters all the same. */
const Choice = ({ label, any, options, value, onChange }: ChoiceProps) => (
  <Select aria-label={label} className="w-auto" value={value} onChange={(event) => onChange(event.target.value)}>
    <option value="">{any}</option>
    {(value && !options.includes(value) ? [...options, value] : options).map((option) => (
      <option key={option}>{option}</option>
    ))}
  </Select>
)
