import type { Column } from '@/components/shared/data-table'
import { RelativeTime } from '@/components/shared/relative-time'
import { VisibleText } from '@/components/shared/visible-text'
import { Badge } from '@/components/ui/badge'
import { shortId } from '@/lib/format'
import type { WaitingThread } from '@/lib/stream/inbox'

const asks: Column<WaitingThread> = {
  id: 'asks',
  header: 'Asks',
  className: 'w-full max-w-0',
  cell: ({ asks: text, questions }) => (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate" title={text}>
        {questions.length === 0 ? (
          <i className="text-ink-2">Stopped at a breakpoint</i>
        ) : (
          <VisibleText>{text}</VisibleText>
        )}
      </span>
      {questions.length > 1 ? <Badge className="shrink-0">{questions.length} questions</Badge> : null}
    </span>
  ),
}
const deployment: Column<WaitingThread> = {
  id: 'deployment',
  header: 'Deployment',
  className: 'max-w-28 sm:max-w-44',
  cell: ({ deploymentName: name }) => <span title={name}>{name}</span>,
}
const graph: Column<WaitingThread> = {
  id: 'graph',
  header: 'Graph',
  from: 'md',
  cell: (one) => <code className="font-mono text-ink-2 text-xs">{one.graph ?? '–'}</code>,
}
const thread: Column<WaitingThread> = {
  id: 'thread',
  header: 'Thread',
  from: 'lg',
  cell: ({ thread: id }) => (
    <code className="font-mono text-ink-2 text-xs" title={id}>
      {shortId(id)}
    </code>
  ),
}
const since: Column<WaitingThread> = {
  id: 'since',
  header: 'Waits since',
  className: 'w-28 text-ink-2',
  from: 'sm',
  cell: (one) => <RelativeTime at={one.since} />,
}

/** Beside an open thread there is room for less. */
export const inboxColumns = (isNarrow: boolean): Column<WaitingThread>[] =>
  isNarrow ? [asks, deployment, since] : [asks, deployment, graph, thread, since]
