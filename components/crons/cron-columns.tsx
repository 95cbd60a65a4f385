import Link from 'next/link'
import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import type { Cron } from '@/lib/contracts/agents/crons'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { shortId } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import { routes } from '@/lib/routes'
import { rowStatus } from '@/lib/stream/run-status'
import { askedText } from '@/lib/stream/thread-rows'
import { ScheduleWords } from './schedule-words'

type LastRun = { workspace: string; run: RunRow | null | undefined; isLoading: boolean }

/** `nameOf` returns an assistant's name by its id, if known. `lastRunOf`: see `lastCronRunsQuery`. */
export const cronColumns = (
  nameOf: (assistant: string) => string | undefined,
  lastRunOf: (cron: string) => LastRun,
): Column<Cron>[] => [
  {
    id: 'schedule',
    header: 'Schedule',
    cell: ({ schedule, timezone }) => (
      <>
        <code className="font-mono">
          <VisibleText>{schedule}</VisibleText>
        </code>
        <span className="ml-1.5 font-normal text-ink-3 text-xs">{timezone || 'UTC'}</span>
        <ScheduleWords schedule={schedule} className="block truncate font-normal text-ink-2 text-xs" />
      </>
    ),
  },
  {
    id: 'assistant',
    header: 'Runs',
    cell: ({ assistant_id: id, payload }) => {
      const name = id ? nameOf(id) : undefined
      const asked = payload ? askedText(printJson(payload)) : undefined
      return (
        <>
          <span title={id ?? undefined}>{name ? <VisibleText>{name}</VisibleText> : id ? `${shortId(id)}…` : '–'}</span>
          {asked ? (
            <span className="block truncate text-ink-2 text-xs" title={asked}>
              <VisibleText>{asked}</VisibleText>
            </span>
          ) : null}
        </>
      )
    },
  },
  {
    id: 'state',
    header: 'State',
    cell: (cron) => (
      <>
        <CronState cron={cron} />
        {/* Where the columns of the runs are hidden. */}
        {cron.enabled !== false && cron.next_run_date ? (
          <span className="block text-ink-2 text-xs sm:hidden">
            <RelativeTime at={cron.next_run_date} isPlanned />
          </span>
        ) : null}
        {lastRunOf(cron.cron_id).run ? (
          <span className="mt-1 block text-ink-2 text-xs sm:hidden">
            Last: <Last of={lastRunOf(cron.cron_id)} />
          </span>
        ) : null}
      </>
    ),
  },
  {
    id: 'next',
    header: 'Next run',
    from: 'sm',
    className: 'w-32 text-ink-2',
    cell: (cron) => (cron.enabled === false ? '–' : <RelativeTime at={cron.next_run_date} isPlanned />),
  },
  {
    id: 'last',
    header: 'Last run',
    from: 'sm',
    className: 'w-36',
    cell: ({ cron_id }) => <Last of={lastRunOf(cron_id)} />,
  },
  {
    id: 'thread',
    header: 'On',
    from: 'md',
    cell: ({ thread_id: id, on_run_completed: after }) =>
      id ? (
        <code className="font-mono text-ink-2 text-xs" title={id}>
          thread {shortId(id)}
        </code>
      ) : (
        <span className="text-ink-2 text-xs">a new thread{after === 'keep' ? '' : ', deleted afterwards'}</span>
      ),
  },
  {
    id: 'created',
    header: 'Created',
    from: 'lg',
    className: 'w-32 text-ink-2',
    cell: (cron) => <RelativeTime at={cron.created_at} />,
  },
]

/** How the last run ended, which leads to it. */
function Last({ of: { workspace, run, isLoading } }: { of: LastRun }) {
  if (!run)
    return isLoading ? (
      <Skeleton className="w-16" />
    ) : (
      <span
        className="text-ink-3"
        title={
          run === null
            ? 'No run of it was found: it has none yet, or its server does not tell which thread it had.'
            : 'Unknown: it could not be read.'
        }
      >
        –
      </span>
    )
  const { tone, label, detail } = rowStatus(run.status)
  return (
    <Link prefetch={false} href={routes.run(workspace, run)} className="hover:underline">
      <StatusBadge tone={tone} title={run.error ?? detail}>
        {label}
      </StatusBadge>
      <span className="ml-1.5 text-ink-2 text-xs max-lg:hidden">
        <RelativeTime at={run.startedAt} />
      </span>
    </Link>
  )
}

/** Whether a cron is active. A cron past its end has no next run. */
export const CronState = ({ cron }: { cron: Pick<Cron, 'enabled' | 'next_run_date'> }) =>
  cron.enabled === false ? (
    <StatusBadge tone="neutral">Disabled</StatusBadge>
  ) : cron.next_run_date === null ? (
    <StatusBadge tone="unknown" title="No next run: its end has passed, or its schedule never matches.">
      Ended
    </StatusBadge>
  ) : (
    <StatusBadge tone="ok">Enabled</StatusBadge>
  )
