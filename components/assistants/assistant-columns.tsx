import { Play } from 'lucide-react'
import Link from 'next/link'
import type { Column } from '@/components/shared/list/data-table'
import { IdChip } from '@/components/shared/text/id-chip'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import { routes } from '@/lib/routes'

/** Whether this is the default assistant that the server creates for each graph. */
export const isDefault = (assistant: Pick<Assistant, 'metadata'>): boolean => assistant.metadata.created_by === 'system'

export const assistantColumns = (
  workspace: string,
  deploymentId: string,
  whyNoRun: string | undefined,
): Column<Assistant>[] => [
  {
    id: 'name',
    header: 'Name',
    cell: (one) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate" title={one.name ?? one.assistant_id}>
          <VisibleText>{one.name || one.assistant_id}</VisibleText>
        </span>
        {isDefault(one) ? <Badge title="Created by the server for each graph">default</Badge> : null}
      </span>
    ),
  },
  {
    id: 'graph',
    header: 'Graph',
    from: 'sm',
    cell: (one) => (
      <code className="font-mono text-ink-2 text-xs" title={one.graph_id}>
        {one.graph_id}
      </code>
    ),
  },
  {
    id: 'version',
    header: 'Version',
    from: 'sm',
    className: 'w-20',
    cell: (one) => <span className="tabular-nums">{one.version ?? '–'}</span>,
  },
  {
    id: 'description',
    header: 'Description',
    from: 'xl',
    cell: (one) => (
      <span className="text-ink-2 text-xs" title={one.description ?? undefined}>
        <VisibleText>{one.description ?? ''}</VisibleText>
      </span>
    ),
  },
  {
    id: 'id',
    header: 'Id',
    from: 'lg',
    className: 'w-36',
    cell: (one) => <IdChip id={one.assistant_id} what="assistant id" className="text-ink-2" />,
  },
  {
    id: 'updated',
    header: 'Updated',
    from: 'md',
    className: 'w-32 text-ink-2',
    cell: (one) => <RelativeTime at={one.updated_at} />,
  },
  {
    id: 'run',
    isAside: true,
    header: <span className="sr-only">Start</span>,
    className: 'w-28 text-right',
    cell: (one) =>
      whyNoRun ? (
        <Button size="sm" reason={whyNoRun}>
          <Play aria-hidden />
          Start a run
        </Button>
      ) : (
        <Button asChild size="sm">
          <Link
            href={routes.newRun(workspace, deploymentId, { assistant: one.assistant_id })}
            aria-label={`Start a run of ${one.name || one.graph_id}`}
          >
            <Play aria-hidden />
            Start a run
          </Link>
        </Button>
      ),
  },
]
