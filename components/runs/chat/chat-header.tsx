'use client'
import { useQuery } from '@tanstack/react-query'
import { ListTree, PanelLeft, PanelRight } from 'lucide-react'
import Link from 'next/link'
import type { RefObject } from 'react'
import { usePageTitle } from '@/components/shared/layout/page-title'
import { useOpened } from '@/components/shared/layout/recent'
import { IdChip } from '@/components/shared/text/id-chip'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { routes } from '@/lib/routes'
import { textIn, titleOf, UNTITLED } from '@/lib/stream/thread-rows'
import { threadTitleQuery } from './chat-queries'
import type { ThreadViews } from './chat-views'
import type { LightThread } from './use-thread'

type Props = {
  place: DeploymentPlace
  thread: string | undefined
  /** See `openingOf`. */
  opening: string | null | undefined
  data: LightThread | undefined
  views: ThreadViews
  isInspected: boolean
  onInspect: () => void
  /** The button that opens and closes the inspector. */
  toggle: RefObject<HTMLButtonElement | null>
  onRail: () => void
}

/** One line about the thread, with what can be done with it. */
export function ChatHeader(props: Props) {
  const { place, thread, opening, data, views, isInspected, onInspect, toggle, onRail } = props
  const { workspace, deploymentId } = place
  const said = titleOf(data?.metadata ?? {}, opening ?? '')
  const isSilent = said === '' && opening === ''
  const options = threadTitleQuery({ workspace, deploymentId, thread: thread ?? '' })
  const values = useQuery({ ...options, enabled: isSilent && thread !== undefined })
  const title = said || titleOf({}, textIn(values.data?.[0]?.extracted))
  useOpened(routes.thread(workspace, deploymentId, thread ?? ''), 'Thread', thread && title)
  usePageTitle(thread && title)
  const isUnknown = thread !== undefined && title === '' && opening !== null && (!isSilent || values.isLoading)
  return (
    <header className="@container flex h-11 shrink-0 items-center gap-x-3 border-b bg-panel px-3 text-xs">
      <Button size="icon" variant="ghost" className="md:hidden" aria-label="Show threads" onClick={onRail}>
        <PanelLeft aria-hidden />
      </Button>
      <h2 className="min-w-0 max-w-80 truncate font-semibold text-sm" title={title}>
        {isUnknown ? (
          <>
            <Skeleton className="w-40" />
            <span className="sr-only">Thread</span>
          </>
        ) : (
          <VisibleText>{title || (!thread ? 'New chat' : opening === null ? 'Thread' : UNTITLED)}</VisibleText>
        )}
      </h2>
      {thread ? (
        <>
          <IdChip id={thread} what="thread id" className="text-ink-2 @max-xl:hidden" />
          <span className="text-ink-3 @max-2xl:hidden">
            <RelativeTime at={data?.updated_at} />
          </span>
          {/* Behind the others: it changes with each run. */}
          {data ? <views.Status status={data.status} /> : null}
        </>
      ) : null}
      <span className="ml-auto flex items-center gap-2">
        {thread ? (
          <>
            <Button asChild size="sm" className="@max-lg:hidden">
              <Link
                aria-label="Traces of this thread"
                href={routes.traces(workspace, deploymentId, { thread, since: '30d' })}
              >
                <ListTree aria-hidden />
                Traces
              </Link>
            </Button>
            <views.Verbs place={{ ...place, thread }} metadata={data?.metadata} title={title} />
          </>
        ) : null}
        <Button
          ref={toggle}
          size="icon"
          variant="ghost"
          aria-label="Inspector"
          aria-pressed={isInspected}
          title={isInspected ? 'Hide the inspector' : 'Show steps, state, graph and events'}
          onClick={onInspect}
        >
          <PanelRight aria-hidden />
        </Button>
      </span>
    </header>
  )
}
