'use client'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { EmptyState, NotOffered } from '@/components/shared/feedback/empty-state'
import { Notice } from '@/components/shared/feedback/notice'
import { STALE_STYLE, staleOf } from '@/components/shared/feedback/stale-notice'
import { PageHeader } from '@/components/shared/layout/page-header'
import { useReasons } from '@/components/shared/layout/rights'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { ListPage } from '@/components/shared/list/list-page'
import { Pager } from '@/components/shared/list/pager'
import { useList } from '@/components/shared/list/use-list'
import { VisibleName } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { withBasePath } from '@/lib/base-path'
import { MOST_COUNTED } from '@/lib/contracts/deployments/deployment-row'
import { LISTENER_STATES, type ListenerRowsPage } from '@/lib/contracts/deployments/listener-row'
import { count } from '@/lib/format/format'
import { listenerRowsQuery } from '@/lib/queries/listeners'
import { routes } from '@/lib/routes'
import { listenerList, listenerQueryOf, PAGE } from './list-query'
import { columnsOf, UNREAD } from './listener-columns'
import { ListenerDialogs } from './listener-dialogs'
import { StateStrip } from './listener-state'

type Props = {
  workspace: string
  /** Of the control plane, as the console reaches it. */
  platformUrl: string
}

/** The clusters that run deployments of a workspace, those that need attention first. */
export function ListenersPage({ workspace, platformUrl }: Props) {
  const list = useList(listenerList)
  const { search, set } = list
  const query = listenerQueryOf(search)
  const options = listenerRowsQuery(workspace, query)
  const result = useQuery(options)
  const { data } = result
  const reason = useReasons().administer
  const setLocal = useSetSearch({ isLocal: true })
  const [isCreating, setCreating] = useState(false)
  const error = result.error ?? result.failureReason
  const opened = search.get('listener')
  const header = (isOffered: boolean) => (
    <PageHeader
      title="Listeners"
      actions={
        isOffered ? (
          <Button variant="primary" reason={reason} onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            Create listener
          </Button>
        ) : null
      }
    >
      <p className="mt-1 max-w-2xl text-ink-2">
        A listener joins a cluster to the control plane, to run deployments there.{' '}
        <a
          className="text-accent underline"
          href={withBasePath('/docs/use/settings#listeners')}
          target="_blank"
          rel="noreferrer"
        >
          How to start one
        </a>
      </p>
    </PageHeader>
  )
  if (error?.code === 'unsupported')
    return (
      <>
        {header(false)}
        <NotOffered what="listeners" reason={error.message} />
      </>
    )
  return (
    <ListPage
      label="Listeners"
      list={list}
      header={header(true)}
      above={
        data ? (
          <div className={staleOf(result) && STALE_STYLE}>
            <Answer
              workspace={workspace}
              page={data}
              chosen={search.get('state')}
              onChoose={(state) => set({ state, listener: '' })}
            />
          </div>
        ) : null
      }
      reading={{ result, queryKey: options.queryKey }}
      rows={data?.rows}
      columns={columnsOf(workspace)}
      rowKey={({ id }) => id}
      rowHref={({ id }) => routes.listeners(workspace, { ...Object.fromEntries(search), listener: id })}
      openKey={opened ?? undefined}
      isNarrowed={query.q !== undefined || query.state !== undefined}
      isBeyond={query.offset > 0}
      empty={<EmptyState title="No listeners yet">Create one to run deployments in a cluster of yours.</EmptyState>}
      pager={
        data ? (
          <Pager
            {...{ offset: query.offset, size: PAGE, shown: data.rows.length, total: data.total }}
            isLoading={result.isPlaceholderData}
            onMove={(offset) => set({ offset, listener: '' })}
          />
        ) : null
      }
    >
      <ListenerDialogs
        workspace={workspace}
        platformUrl={platformUrl}
        rows={data?.rows}
        opened={opened}
        isCreating={isCreating}
        onCreated={() => setCreating(false)}
        onClosed={() => setLocal({ listener: '' })}
      />
    </ListPage>
  )
}

type AnswerProps = {
  workspace: string
  page: ListenerRowsPage
  chosen: string | null
  onChoose: (state: string) => void
}

/** Whether the clusters are connected, and which deployments wait for one. */
function Answer({ workspace, page: { counts, waiting, isCut }, chosen, onChoose }: AnswerProps) {
  const more = waiting ? waiting.count - waiting.deployments.length : 0
  return (
    <>
      {chosen || LISTENER_STATES.some((state) => counts[state] > 0) ? (
        <StateStrip counts={counts} chosen={chosen} onChoose={onChoose} />
      ) : null}
      {waiting && waiting.count > 0 ? (
        <div className="mb-3">
          <Notice tone="warn">
            {waiting.count === 1 ? 'A roll-out waits' : `${count(waiting.count)} roll-outs wait`} for a cluster that is
            away:{' '}
            {waiting.deployments.map(({ id, name }, index) => (
              <span key={id}>
                {index > 0 ? ', ' : ''}
                <Link prefetch={false} className="font-medium underline" href={routes.deployment(workspace, id)}>
                  <VisibleName>{name}</VisibleName>
                </Link>
              </span>
            ))}
            {more > 0 ? ` and ${count(more)} more` : ''}.
          </Notice>
        </div>
      ) : null}
      {counts.unknown > 0 ? (
        <p className="mb-3 text-ink-2">This control plane does not report whether its listeners are connected.</p>
      ) : null}
      {waiting ? null : <p className="mb-3 text-ink-2">{UNREAD} So it is unknown which of them wait.</p>}
      {isCut ? (
        <p className="mb-3 text-ink-2">Only the first {count(MOST_COUNTED)} deployments are counted here.</p>
      ) : null}
    </>
  )
}
