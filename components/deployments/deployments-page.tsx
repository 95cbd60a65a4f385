'use client'
import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import type { Route } from 'next'
import { useEffect, useMemo, useState } from 'react'
import { DataTable } from '@/components/shared/data-table'
import { EmptyState } from '@/components/shared/empty-state'
import { ErrorNotice } from '@/components/shared/error-notice'
import { PageHeader } from '@/components/shared/page-header'
import { StaleNotice } from '@/components/shared/stale-notice'
import { Button } from '@/components/ui/button'
import { Input, Select } from '@/components/ui/input'
import { DEPLOYMENT_STATUSES } from '@/lib/contracts/state'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { deploymentColumns } from './columns'
import { type ListFilter, listQueryOf, PAGE_SIZE } from './list-query'
import { useLiveDeployments } from './use-live'

export function DeploymentsPage({ workspace }: { workspace: string }) {
  const search = useSearchParams()
  const query = listQueryOf(search)
  const list = useQuery(deploymentsQuery(workspace, query))
  useLiveDeployments(workspace, query)
  const columns = useMemo(() => deploymentColumns(workspace), [workspace])
  const set = useSetSearch()
  const isFiltered = ['name_contains', 'status', 'deployment_type'].some((name) => search.get(name))
  const rows = list.data?.resources

  return (
    <>
      <PageHeader title="Deployments" />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <NameSearch value={search.get('name_contains') ?? ''} onChange={(value) => set({ name_contains: value })} />
        <Select aria-label="Status" className="w-auto" value={search.get('status') ?? ''} onChange={(event) => set({ status: event.target.value })}>
          <option value="">Any status</option>
          {DEPLOYMENT_STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </Select>
        <Select aria-label="Type" className="w-auto" value={search.get('deployment_type') ?? ''} onChange={(event) => set({ deployment_type: event.target.value })}>
          <option value="">Any type</option>
          {['dev_free', 'dev', 'prod'].map((type) => (
            <option key={type}>{type}</option>
          ))}
        </Select>
      </div>
      {list.error && !rows ? <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} /> : null}
      {list.error && rows ? <StaleNotice message={list.error.view.message} at={list.dataUpdatedAt} onRetry={() => void list.refetch()} /> : null}
      {list.error && !rows ? null : (
        <DataTable
          label="Deployments"
          columns={columns}
          rows={rows}
          rowKey={(one) => one.id}
          rowHref={(one) => routes.deployment(workspace, one.id)}
          empty={
            isFiltered || query.offset > 0 ? (
              <EmptyState title="No deployment matches" action={<Button onClick={() => set({ name_contains: '', status: '', deployment_type: '' })}>Clear the filters</Button>}>
                Nothing on this page has that name, status and type.
              </EmptyState>
            ) : (
              <EmptyState title="No deployments yet">
                Create one through the control-plane API (POST /v2/deployments). It appears here, with its first revision rolling out.
              </EmptyState>
            )
          }
        />
      )}
      {rows && (query.offset > 0 || rows.length === PAGE_SIZE) ? (
        <nav aria-label="Pages" className="mt-3 flex items-center justify-end gap-2 text-ink-2 text-xs">
          <span>{rows.length > 0 ? `${query.offset + 1}–${query.offset + rows.length}` : `after ${query.offset}`}</span>
          <Button size="sm" disabled={query.offset === 0} onClick={() => set({ offset: String(Math.max(0, query.offset - PAGE_SIZE) || '') })}>
            Previous
          </Button>
          <Button size="sm" disabled={rows.length < PAGE_SIZE || list.isPlaceholderData} onClick={() => set({ offset: String(query.offset + PAGE_SIZE) })}>
            Next
          </Button>
        </nav>
      ) : null}
    </>
  )
}

/** Changes the URL's query; a changed filter goes back to the first page. An empty value leaves its parameter out. */
function useSetSearch() {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  return (change: Partial<Record<ListFilter | 'offset', string>>) => {
    const next = new URLSearchParams(search)
    if (!('offset' in change)) next.delete('offset')
    for (const [name, value] of Object.entries(change)) {
      if (value) next.set(name, value)
      else next.delete(name)
    }
    const query = next.toString()
    router.replace((query ? `${path}?${query}` : path) as Route, { scroll: false })
  }
}

/** The URL follows the typing after a moment's rest. */
function NameSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  if (value !== shown) {
    setShown(value) // the URL moved: back, forward, or a cleared filter
    setText(value)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onChange` is made anew by each render; only the text matters
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => onChange(text.trim()), 250)
    return () => clearTimeout(timer)
  }, [text, value])
  return (
    <div className="relative w-full sm:w-64">
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-3.5 text-ink-3" />
      <Input type="search" aria-label="Search by name" placeholder="Search by name" className="pl-8" value={text} onChange={(event) => setText(event.target.value)} />
    </div>
  )
}
