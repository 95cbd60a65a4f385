import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import { reportChosen } from '@/components/ui/report-typed'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { shortId } from '@/lib/format/format'
import { TriggerText } from './common/trigger-text'
import type { RevisionRow } from './revision-rows'
import { PointCell, ServedCell, TookCell, type Tracing } from './timeline-cells'

type Settings = {
  chosen: readonly string[]
  onChoose: (id: string) => void
  /** Whose traces tell error rates; undefined until the deployment is known. */
  tracing: Tracing | undefined
  /** The longest roll-out shown. */
  longestMs: number
  /** Why the user cannot roll back, if so. */
  reason: string | undefined
  onRollBack: (revision: Revision) => void
}

/** The columns of the timeline. */
export const revisionColumns = ({
  chosen,
  onChoose,
  tracing,
  longestMs,
  reason,
  onRollBack,
}: Settings): Column<RevisionRow>[] => [
  {
    id: 'compare',
    isAside: true,
    header: <span className="sr-only">Compare</span>,
    className: 'w-9 pr-0',
    cell: ({ revision }) => (
      <input
        ref={reportChosen}
        type="checkbox"
        aria-label={`Compare revision ${shortId(revision.id)}`}
        className="block size-3.5 accent-accent"
        checked={chosen.includes(revision.id)}
        onChange={() => onChoose(revision.id)}
      />
    ),
  },
  {
    id: 'point',
    header: <span className="pl-5">Revision</span>,
    className: 'relative w-full max-w-0',
    cell: (row) => <PointCell row={row} />,
  },
  {
    id: 'trigger',
    header: 'Deployed by',
    from: 'md',
    className: 'max-w-48',
    cell: ({ trigger }) => <TriggerText trigger={trigger} />,
  },
  {
    id: 'took',
    header: 'Build and roll-out',
    from: 'lg',
    className: 'whitespace-nowrap',
    cell: ({ took, rollOut }) => <TookCell took={took} rollOut={rollOut} longestMs={longestMs} />,
  },
  {
    id: 'served',
    header: 'Served for',
    from: 'lg',
    className: 'whitespace-nowrap',
    cell: ({ served }) => <ServedCell served={served} tracing={tracing} />,
  },
  {
    id: 'created',
    header: 'Created',
    from: 'sm', // below, it is in the first column
    className: 'text-ink-2',
    cell: ({ revision }) => <RelativeTime at={revision.created_at} />,
  },
  {
    id: 'verb',
    isAside: true,
    header: <span className="sr-only">Roll back</span>,
    className: 'w-28 text-right',
    cell: ({ revision, isEarlier }) =>
      isEarlier ? (
        <Button
          size="sm"
          reason={reason}
          aria-label={`Roll back to ${shortId(revision.id)}`}
          onClick={() => onRollBack(revision)}
        >
          Roll back…
        </Button>
      ) : null,
  },
]
