'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { StatusBadge } from '@/components/ui/badge'
import { count } from '@/lib/format/format'
import { runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'

/** Runs that began before that are told on Home. Some agents take longer, so that nothing is called wrong. */
const LONG = { status: 'active', until: '15m' }
const MOST = 100
const REFRESH_MS = 30_000

/** The runs that have been running for long, as those that hang do. */
export function LongRuns({ workspace }: { workspace: string }) {
  const { data } = useQuery({ ...runRowsQuery(workspace, { ...LONG, limit: MOST }), refetchInterval: REFRESH_MS })
  const oldest = data?.rows.at(-1)
  if (!data || !oldest) return null
  const { rows, next } = data
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5">
      <StatusBadge tone="progress">Running</StatusBadge>
      <span className="min-w-0 flex-1 basis-64">
        {count(rows.length)}
        {next ? ' or more' : ''} {rows.length === 1 ? 'run has' : 'runs have'} been running for over 15 min
        {next ? null : (
          <span className="text-ink-2 text-xs">
            , the oldest started <RelativeTime at={oldest.startedAt} />
          </span>
        )}
      </span>
      <Link href={routes.allRuns(workspace, LONG)} className="text-accent text-xs hover:underline">
        Running runs
      </Link>
    </li>
  )
}
