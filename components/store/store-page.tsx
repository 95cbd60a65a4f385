'use client'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
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
import type { Item } from '@/lib/contracts/agents/store'
import { itemsQuery } from '@/lib/queries/store'
import { routes } from '@/lib/routes'
import { itemColumns } from './item-columns'
import { NamespaceTree } from './namespace-tree'
import { namespaceText, PAGE, storePlaceOf } from './store-place'

const ItemSheet = dynamic(() => import('./item-sheet').then((module) => module.ItemSheet), { ssr: false })

type Props = { workspace: string; deployment: string }

/** What the agent remembers beyond its threads: namespaces, and the items in them. */
export function StorePage(place: Props) {
  const { workspace, deployment } = place
  const search = useSearchParams()
  const setSearch = useSetSearch()
  const reason = useReasons().run
  const [isNew, setNew] = useState(false)
  const { namespace, body, isMeaning, isFiltered, problem, open } = storePlaceOf(search)
  const query = itemsQuery(workspace, deployment, body)
  const {
    data,
    error: failed,
    failureReason,
    dataUpdatedAt,
    isPlaceholderData,
  } = useQuery({ ...query, enabled: !problem })
  const retry = useTryAgain(query.queryKey)
  const error = failed ?? failureReason
  const items = data?.items
  if (error?.code === 'unsupported') return <NotOffered what="store" reason={error.message} />
  const close = () => {
    setNew(false)
    if (open) setSearch({ key: '', in: '', offset: search.get('offset') ?? '' })
  }
  const openItem = (into: readonly string[], key: string) => {
    setNew(false)
    setSearch({ in: namespaceText(into), key, offset: search.get('offset') ?? '' })
  }
  const hrefOf = (item: Item) =>
    routes.store(workspace, deployment, {
      ...Object.fromEntries(search),
      in: namespaceText(item.namespace),
      key: item.key,
    })
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <div className="w-full sm:w-72">
          <SearchBox
            label={isMeaning ? 'Search by meaning' : 'Filter values by key:value'}
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
          aria-label="Kind of search"
          className="w-auto"
          value={isMeaning ? 'meaning' : ''}
          onChange={({ target }) => setSearch({ by: target.value })}
        >
          <option value="">By values</option>
          <option value="meaning">By meaning</option>
        </Select>
        <Button className="ml-auto" reason={reason} onClick={() => setNew(true)}>
          <Plus aria-hidden />
          New item
        </Button>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 md:grid-cols-[minmax(11rem,16rem)_minmax(0,1fr)]">
        <NamespaceTree
          place={place}
          current={namespace}
          onOpen={(chosen) => setSearch({ ns: namespaceText(chosen), key: '', in: '' })}
        />
        <div className="min-w-0">
          {error && data ? <StaleNotice {...error.view} at={dataUpdatedAt} onRetry={retry} /> : null}
          {error && !data && !problem ? (
            <ErrorNotice error={error.view} onRetry={retry} />
          ) : (
            <DataTable
              label="Items"
              columns={itemColumns}
              rows={problem ? [] : items}
              rowKey={(one) => `${namespaceText(one.namespace)} ${one.key}`}
              rowHref={hrefOf}
              pendingRows={6}
              empty={
                isFiltered || body.offset > 0 ? (
                  <EmptyState
                    title="No item matches"
                    action={<Button onClick={() => setSearch({ q: '', offset: '' })}>Clear the search</Button>}
                  />
                ) : (
                  <EmptyState title="Nothing is stored here">
                    Graphs keep here what outlives a thread. An item can be made by hand too.
                  </EmptyState>
                )
              }
            />
          )}
          {items && !problem ? (
            <Pager
              offset={body.offset}
              size={PAGE}
              shown={items.length}
              isLoading={isPlaceholderData}
              onMove={(offset) => setSearch({ offset })}
            />
          ) : null}
        </div>
      </div>
      {open || isNew ? (
        <ItemSheet
          key={open ? `${namespaceText(open.namespace)} ${open.key}` : 'new'}
          place={{ workspace, deployment }}
          namespace={isNew || !open ? namespace : open.namespace}
          itemKey={isNew ? undefined : open?.key}
          onOpen={openItem}
          onClose={close}
        />
      ) : null}
    </>
  )
}
