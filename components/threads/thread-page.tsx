'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ListTree, Pencil, Play } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useDeferredValue, useEffect, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { NothingHere } from '@/components/shared/feedback/nothing-here'
import { useReasons } from '@/components/shared/layout/rights'
import { Figure, SectionHeader } from '@/components/shared/layout/section-header'
import { useLocalParam } from '@/components/shared/layout/use-local-param'
import { IdChip } from '@/components/shared/text/id-chip'
import { LongText } from '@/components/shared/text/long-text'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { Tabs } from '@/components/ui/tabs'
import { cn } from '@/lib/cn'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Thread } from '@/lib/contracts/agents/threads'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { jsonText } from '@/lib/json/value'
import { subscribe } from '@/lib/live/client'
import { operationKey } from '@/lib/queries/api-query'
import { shouldRetry } from '@/lib/queries/query-client'
import { threadStateQuery } from '@/lib/queries/thread-states'
import { threadQuery } from '@/lib/queries/threads'
import { routes } from '@/lib/routes'
import { lightThreadQuery } from './list-query'
import { ThreadHistory } from './thread-history'
import { ThreadMessages } from './thread-messages'
import { ThreadState } from './thread-state'
import { ThreadStatus } from './thread-status'
import { ThreadVerbs } from './thread-verbs'
import { useJsonWorker } from './use-json-worker'

const EditState = dynamic(() => import('./edit-state').then((module) => module.EditState), { ssr: false })

type LightThread = Pick<Thread, 'thread_id' | 'status' | 'created_at' | 'updated_at' | 'metadata'>

/** One thread: its current state, as messages and as a tree, and its history. */
export function ThreadPage(place: ThreadPlace) {
  const { workspace, deploymentId, thread } = place
  const [shown, setShown] = useLocalParam('tab')
  const tab = shown || 'messages'
  // Deferred, so that the click shows first: rendering a tab takes half a frame.
  const part = useDeferredValue(tab)
  const client = useQueryClient()
  const { data, error, refetch } = useThread(place)
  useJsonWorker()
  const show = (value: string) => {
    // Starts the request before rendering the tab, which takes about as long as the response.
    if (value !== 'history')
      client
        .ensureQueryData({ ...threadStateQuery(workspace, deploymentId, thread), retry: shouldRetry })
        .catch(() => {}) // the state's own view shows the error
    setShown(value === 'messages' ? '' : value)
  }
  // Servers reject a malformed id instead of responding with "not found".
  if (error?.code === 'not_found' || error?.code === 'invalid') return <NothingHere />
  if (error) return <ErrorNotice error={error} onRetry={refetch} />
  return (
    <>
      <SectionHeader
        title="Thread"
        meta={
          <>
            {data ? <ThreadStatus status={data.status} /> : <Skeleton className="w-20" />}
            <IdChip id={thread} what="thread id" isWhole className="text-ink-2" />
          </>
        }
        actions={
          <>
            <Button asChild variant="secondary">
              <Link href={routes.newRun(workspace, deploymentId, { thread, assistant: assistantOf(data) })}>
                <Play aria-hidden />
                Start a run on this thread
              </Link>
            </Button>
            <Button asChild variant="secondary">
              <Link
                aria-label="Traces of this thread"
                href={routes.traces(workspace, deploymentId, { thread, since: '30d' })}
              >
                <ListTree aria-hidden />
                Traces
              </Link>
            </Button>
            <ThreadVerbs place={place} metadata={data?.metadata} />
          </>
        }
      >
        <div className="mt-1 flex flex-wrap items-start gap-x-4 gap-y-1 text-xs">
          <Figure label="Created">
            <RelativeTime at={data?.created_at} />
          </Figure>
          <Figure label="Updated">
            <RelativeTime at={data?.updated_at} />
          </Figure>
          {data && Object.keys(data.metadata).length > 0 ? (
            <details className="min-w-0 max-w-full">
              <summary className="text-ink-3">Metadata ({Object.keys(data.metadata).length})</summary>
              <LongText
                text={jsonText(data.metadata)}
                className="mt-1 max-h-48 overflow-auto rounded-md border bg-sunken p-2 font-mono"
              />
            </details>
          ) : null}
        </div>
      </SectionHeader>
      <Tabs
        label="Thread sections"
        value={tab}
        onValueChange={show}
        className="min-h-[28rem] flex-1 [&>[role=tabpanel]]:pt-3"
        tabs={[
          { value: 'messages', label: 'Messages' },
          { value: 'state', label: 'State' },
          { value: 'history', label: 'History' },
        ]}
      >
        <div
          className={cn(
            'overflow-hidden rounded-lg border bg-panel',
            // Taller on narrow screens, where the list and the state are stacked.
            part === 'history' ? 'h-[46rem] md:h-[max(24rem,calc(100dvh-21rem))]' : 'h-[max(24rem,calc(100dvh-21rem))]',
          )}
        >
          {part === 'history' ? (
            <ThreadHistory {...place} assistant={assistantOf(data)} />
          ) : (
            <CurrentState
              {...place}
              assistant={assistantOf(data)}
              isTree={part === 'state'}
              isBusy={data?.status === 'busy'}
            />
          )}
        </div>
      </Tabs>
    </>
  )
}

type CurrentStateProps = ThreadPlace & { assistant: string | undefined; isTree: boolean; isBusy: boolean }

function CurrentState({ assistant, isTree, isBusy, ...place }: CurrentStateProps) {
  const { workspace, deploymentId, thread } = place
  const whyNot = useReasons().run
  const [isEditing, setEditing] = useState(false)
  const state = useQuery(threadStateQuery(workspace, deploymentId, thread))
  if (state.error && !state.data)
    return <ErrorNotice error={state.error.view} onRetry={() => void state.refetch()} className="m-3" />
  const busy = isBusy ? 'A run is active. Wait for it to finish, or cancel it.' : undefined
  return (
    <div className="flex h-full min-h-0 flex-col">
      {state.error ? (
        <ErrorNotice error={state.error.view} onRetry={() => void state.refetch()} className="m-2" />
      ) : null}
      <div className="min-h-0 flex-1">
        {isTree ? (
          <ThreadState
            state={state.data}
            label="State"
            actions={
              <Button
                size="sm"
                reason={whyNot ?? (state.data ? busy : 'The state is still loading.')}
                onClick={() => setEditing(true)}
              >
                <Pencil aria-hidden />
                Edit state
              </Button>
            }
          />
        ) : state.data ? (
          <ThreadMessages state={state.data} isBusy={isBusy} />
        ) : (
          <StateSkeleton />
        )}
      </div>
      {isEditing && state.data ? (
        <EditState
          place={place}
          assistant={assistant}
          state={state.data}
          base={{ id: state.data.checkpoint?.checkpoint_id ?? '', ns: '' }}
          isNewest
          onClose={() => setEditing(false)}
          onWritten={() => setEditing(false)}
        />
      ) : null}
    </div>
  )
}

const StateSkeleton = () => (
  <div className="space-y-3 p-4">
    {['w-2/3', 'w-1/2', 'w-3/4', 'w-1/3'].map((width) => (
      <Skeleton key={width} className={`h-4 ${width}`} />
    ))}
  </div>
)

/** The thread, live. Refetches its state when it changes. */
function useThread(place: ThreadPlace) {
  const { workspace, deploymentId, thread } = place
  const client = useQueryClient()
  const [live, setLive] = useState<LightThread>()
  const light = useQuery(lightThreadQuery(place))
  const found = light.data?.find((one) => one.thread_id === thread)
  // The search found nothing: the server cannot search by id, or there is no such thread. Reading the thread itself
  // tells which.
  const whole = useQuery({
    ...threadQuery(workspace, deploymentId, thread),
    enabled: !found && (light.isError || (light.isSuccess && !light.isPlaceholderData)),
    retry: false,
  })

  useEffect(() => {
    let last = ''
    return subscribe(
      { kind: 'thread', workspace, deployment: deploymentId, thread },
      {
        onValue: (value) => {
          const next = value as LightThread // the server parsed it with the row's schema
          const version = `${next.status} ${next.updated_at}`
          setLive(next)
          // Does not cancel a running read: a large state that changes often would never finish loading.
          if (last !== '' && last !== version)
            for (const op of [agentServer.getThreadState, agentServer.searchThreadHistory])
              void client.invalidateQueries({ queryKey: operationKey(op, workspace) }, { cancelRefetch: false })
          last = version
        },
      },
    )
  }, [client, workspace, deploymentId, thread])

  const data = live ?? found ?? whole.data
  return { data, error: data ? undefined : whole.error?.view, refetch: () => void whole.refetch() }
}

const assistantOf = (thread: LightThread | undefined): string | undefined => {
  const { assistant_id: assistant, graph_id: graph } = thread?.metadata ?? {}
  return typeof assistant === 'string' ? assistant : typeof graph === 'string' ? graph : undefined
}
