import { FavouriteStar } from '@/components/shared/layout/favourites'
import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName } from '@/components/shared/text/visible-text'
import { Badge, StatusBadge } from '@/components/ui/badge'
import { type DeploymentRow, type RevisionFacts, rowHealth } from '@/lib/contracts/deployments/deployment-row'
import { sourceLabel } from '@/lib/contracts/deployments/source-label'
import { revisionLabel } from '@/lib/contracts/wire/state'
import { shortId } from '@/lib/format/format'
import { ChangeCell, LastRunCell, LatencyCell, type ListedRow, RunsCell } from './activity/cells'
import { sourceOf } from './source'

export const deploymentColumns: Column<ListedRow>[] = [
  {
    id: 'favourite',
    isAside: true,
    header: <span className="sr-only">Favourite</span>,
    className: 'w-7 px-0',
    cell: ({ id, name }) => <FavouriteStar id={id} name={name} />,
  },
  {
    id: 'name',
    header: 'Name',
    sort: { by: 'name', direction: 'ascending' },
    // Takes the remaining width, so that long names do not make the page scroll sideways.
    className: 'w-full min-w-36 max-w-0',
    cell: (one) => <VisibleName>{one.name}</VisibleName>,
  },
  {
    id: 'health',
    header: 'Health',
    sort: { by: 'health', direction: 'ascending' },
    className: 'max-w-48 max-sm:min-w-28 max-sm:whitespace-normal',
    cell: (one) => <RowHealth row={one} />,
  },
  {
    id: 'source',
    header: 'Source',
    from: 'md',
    className: 'max-w-48',
    cell: (one) => (
      <span className="flex items-center gap-1.5">
        <Badge>{sourceLabel(one.source)}</Badge>
        <VisibleName className="truncate text-ink-2 text-xs">{sourceOf(one)}</VisibleName>
      </span>
    ),
  },
  {
    id: 'active',
    header: 'Active revision',
    from: 'xl',
    cell: (one) => <Active of={one.active} source={one.source} />,
  },
  { id: 'latest', header: 'Latest revision', from: 'wide', cell: (one) => <Latest row={one} /> },
  {
    id: 'runs',
    header: 'Runs, 24 h',
    from: 'md',
    className: 'whitespace-nowrap text-ink-2',
    cell: (row) => <RunsCell row={row} />,
  },
  {
    id: 'latency',
    header: 'p95',
    from: 'xl',
    className: 'whitespace-nowrap text-ink-2 tabular-nums',
    cell: (row) => <LatencyCell row={row} />,
  },
  {
    id: 'last-run',
    header: 'Last run',
    from: 'lg',
    className: 'whitespace-nowrap text-ink-2',
    cell: (row) => <LastRunCell row={row} />,
  },
  {
    id: 'updated',
    header: 'Last change',
    sort: { by: 'updated', direction: 'descending' },
    from: 'sm',
    className: 'max-w-44 whitespace-nowrap text-ink-2',
    cell: (row) => <ChangeCell row={row} />,
  },
]

const Active = ({ of, source }: { of: RevisionFacts | null; source: string }) =>
  of ? (
    <span className="flex items-center gap-1.5 text-ink-2 text-xs">
      <code className="font-mono" title={of.id}>
        {shortId(of.id)}
      </code>
      <Age at={of.at} />
    </span>
  ) : (
    <NoRevision source={source} />
  )

const NoRevision = ({ source }: { source: string }) =>
  source === 'external' ? (
    <span className="text-ink-3" title="It was added by its address, so it has no revisions.">
      –
    </span>
  ) : (
    <span className="text-ink-3">none</span>
  )

const Latest = ({ row: { latest, active, source } }: { row: DeploymentRow }) => {
  if (!latest) return <NoRevision source={source} />
  if (latest.id === active?.id) return <span className="text-ink-3 text-xs">= active</span>
  return (
    <span className="flex items-center gap-1.5 text-ink-2 text-xs">
      <code
        className="font-mono"
        title={latest.status ? `${latest.id} · ${revisionLabel(latest.status)}` : latest.id} // the health badge says it in words
      >
        {shortId(latest.id)}
      </code>
      <Age at={latest.at} />
    </span>
  )
}

/** Hidden where the columns would be wider than the page. */
const Age = ({ at }: Pick<RevisionFacts, 'at'>) =>
  at ? (
    <span className="hidden 2xl:inline">
      <RelativeTime at={at} />
    </span>
  ) : null

/** The health of a row, from the deployment and its two revisions as the list returned them. */
export function RowHealth({
  row,
}: {
  row: Pick<DeploymentRow, 'status' | 'source' | 'latest' | 'active' | 'listener' | 'failing'>
}) {
  const { level, label, detail, since } = rowHealth(row)
  return (
    <>
      <StatusBadge tone={level} title={since ? undefined : detail} className="max-sm:whitespace-normal">
        {label}
      </StatusBadge>
      {row.listener?.away ? (
        <p className="max-w-32 text-2xs text-ink-3 sm:max-w-none sm:truncate" title={detail}>
          <VisibleName>{row.listener.name}</VisibleName>,{' '}
          {since === undefined ? (
            'never connected'
          ) : (
            <>
              last heard <RelativeTime at={since} />
            </>
          )}
        </p>
      ) : null}
    </>
  )
}
