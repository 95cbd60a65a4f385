'use client'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { EmptyState, NotOffered } from '@/components/shared/feedback/empty-state'
import { Notice } from '@/components/shared/feedback/notice'
import { useReasons } from '@/components/shared/layout/rights'
import { ListPage } from '@/components/shared/list/list-page'
import { Pager } from '@/components/shared/list/pager'
import { useList } from '@/components/shared/list/use-list'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import type { Item } from '@/lib/contracts/agents/store'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { itemsQuery } from '@/lib/queries/store'
import { routes } from '@/lib/routes'
import { itemColumns } from './item-columns'
import { NamespaceTree } from './namespace-tree'
import { isUnranked, itemList, namespaceText, PAGE, storePlaceOf } from './store-place'

const ItemSheet = dynamic(() => import('./item-sheet').then((module) => module.ItemSheet), { ssr: false })

type Props = DeploymentPlace

/** How often an open list is read again: agents write to the store. */
const LOOK_MS = 30_000

/** The agent's long-term memory: namespaces and their items. */
export function StorePage(place: Props) {
  const { workspace, deploymentId } = place
  const search = useSearchParams()
  const { namespace, body, isMeaning, isFiltered, problem, open } = storePlaceOf(search)
  const list = useList(itemList(isMeaning))
  const reason = useReasons().run
  const [isNew, setNew] = useState(false)
  const options = itemsQuery(workspace, deploymentId, body)
  // A search by meaning costs the server a call of its model each time.
  const result = useQuery({ ...options, enabled: !problem, refetchInterval: isMeaning ? false : LOOK_MS })
  const items = result.data?.items
  const error = result.error ?? result.failureReason
  if (error?.code === 'unsupported') return <NotOffered what="store" reason={error.message} />
  const close = () => {
    setNew(false)
    if (open) list.set({ key: '', in: '', offset: search.get('offset') ?? '' })
  }
  const openItem = (into: readonly string[], key: string) => {
    setNew(false)
    list.set({ in: namespaceText(into), key, offset: search.get('offset') ?? '' })
  }
  const hrefOf = (item: Item) =>
    routes.store(workspace, deploymentId, {
      ...Object.fromEntries(search),
      in: namespaceText(item.namespace),
      key: item.key,
    })
  return (
    <ListPage
      label="Items"
      list={list}
      searchProblem={problem}
      tools={
        <Select
          aria-label="Kind of search"
          className="w-auto"
          value={isMeaning ? 'meaning' : ''}
          onChange={({ target }) => list.set({ by: target.value })}
        >
          <option value="">By values</option>
          <option value="meaning">By meaning</option>
        </Select>
      }
      verbs={
        <Button reason={reason} onClick={() => setNew(true)}>
          <Plus aria-hidden />
          New item
        </Button>
      }
      aside={
        <NamespaceTree
          place={place}
          current={namespace}
          onOpen={(chosen) => list.set({ ns: namespaceText(chosen), key: '', in: '' })}
        />
      }
      above={
        items && !result.isPlaceholderData && isUnranked(body.query, items) ? (
          <div className="mb-3">
            <Notice tone="warn">These items are not searched by meaning: the server has no index for them.</Notice>
          </div>
        ) : null
      }
      reading={{ result, queryKey: options.queryKey }}
      rows={items}
      columns={itemColumns}
      rowKey={(one) => `${namespaceText(one.namespace)} ${one.key}`}
      rowHref={hrefOf}
      pendingRows={6}
      isNarrowed={isFiltered}
      isBeyond={body.offset > 0}
      empty={
        <EmptyState title="No items yet">
          Graphs store here what outlives a thread. You can also create items.
        </EmptyState>
      }
      pager={
        items ? (
          <Pager
            offset={body.offset}
            size={PAGE}
            shown={items.length}
            isLoading={result.isPlaceholderData}
            onMove={(offset) => list.set({ offset })}
          />
        ) : null
      }
    >
      {open || isNew ? (
        <ItemSheet
          key={open ? `${namespaceText(open.namespace)} ${open.key}` : 'new'}
          place={{ workspace, deploymentId }}
          namespace={isNew || !open ? namespace : open.namespace}
          itemKey={isNew ? undefined : open?.key}
          onOpen={openItem}
          onClose={close}
        />
      ) : null}
    </ListPage>
  )
}
