import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { cn } from '@/lib/cn'
import { shortId } from '@/lib/format/format'
import type { WaitingThread } from '@/lib/stream/inbox'

/** A row's `id` includes the deployment, because thread ids are unique only within one. `name` is its label. */
export type InboxRow = WaitingThread & { id: string; name: string }

const asks: Column<InboxRow> = {
  id: 'asks',
  header: 'Request',
  className: 'w-full max-w-0',
  cell: ({ asks: text, about, questions, deploymentName }) => (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate" title={text}>
          {questions && questions.length > 0 ? (
            <VisibleText>{text}</VisibleText>
          ) : (
            <i className="pr-0.5 text-ink-2">{questions ? 'Stopped at a breakpoint' : 'Needs input'}</i>
          )}
        </span>
        {questions && questions.length > 1 ? <Badge className="shrink-0">{questions.length} questions</Badge> : null}
      </span>
      <span className={cn('block truncate font-normal text-xs', !about && 'sm:hidden')} title={about || undefined}>
        {/* Its column is hidden there. */}
        <span className="text-ink-3 sm:hidden">{deploymentName}</span>
        {about ? (
          <>
            <span className="text-ink-3 sm:hidden"> · </span>
            <span className="text-ink-2">
              <VisibleText>{about}</VisibleText>
            </span>
          </>
        ) : null}
      </span>
    </>
  ),
}
const deployment: Column<InboxRow> = {
  id: 'deployment',
  header: 'Deployment',
  from: 'sm',
  className: 'max-w-44',
  cell: ({ deploymentName: name }) => <span title={name}>{name}</span>,
}
const graph: Column<InboxRow> = {
  id: 'graph',
  header: 'Graph',
  from: 'md',
  cell: (one) => <code className="font-mono text-ink-2 text-xs">{one.graph ?? '–'}</code>,
}
const thread: Column<InboxRow> = {
  id: 'thread',
  header: 'Thread',
  from: 'lg',
  cell: ({ thread: id }) => (
    <code className="font-mono text-ink-2 text-xs" title={id}>
      {shortId(id)}
    </code>
  ),
}
const since: Column<InboxRow> = {
  id: 'since',
  header: 'Waiting',
  className: 'w-28 text-ink-2',
  cell: (one) => <RelativeTime at={one.since} />,
}

/** Fewer columns while a thread is open next to the list. */
export const inboxColumns = (isNarrow: boolean): Column<InboxRow>[] =>
  isNarrow ? [asks, deployment, since] : [asks, deployment, graph, thread, since]
