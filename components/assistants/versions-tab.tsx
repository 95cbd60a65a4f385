'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { Pager } from '@/components/shared/list/pager'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import type { AssistantChange } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { differencesOf } from '@/lib/json/difference'
import { assistantVersionsQuery } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { authorsOf, comparable } from './versions'

const ActivateVersion = dynamic(() => import('./activate-version').then((module) => module.ActivateVersion), {
  ssr: false,
})

const PAGE_SIZE = 50

type Props = { place: AssistantPlace; assistant: Assistant; changes: readonly AssistantChange[] }

/** All versions, newest first, with their changes, their author if known, and a button to activate them. */
export function VersionsTab({ place, assistant, changes }: Props) {
  const { workspace, deploymentId } = place
  const whyNot = useReasons().run
  const [offset, setOffset] = useState(0)
  const [chosen, setChosen] = useState<number>()
  // Reads one more than it shows, because the last one is compared with its predecessor.
  const list = useQuery(
    assistantVersionsQuery(workspace, deploymentId, place.assistant, { limit: PAGE_SIZE + 1, offset }),
  )
  const active = assistant.version ?? undefined
  const columns = useMemo(
    () =>
      columnsFor({
        place,
        active,
        authors: authorsOf(list.data ?? [], changes),
        rows: list.data ?? [],
        whyNot,
        onActivate: setChosen,
      }),
    [place, active, changes, list.data, whyNot],
  )
  if (list.error && !list.data)
    return ['not_found', 'unsupported'].includes(list.error.code) ? (
      <EmptyState title="No versions">This server does not keep assistant versions.</EmptyState>
    ) : (
      <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} />
    )
  const rows = list.data?.slice(0, PAGE_SIZE)
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-2 text-ink-2 text-xs">
        <span className="min-w-0 flex-1 basis-72">
          Each change creates a version and activates it. Runs of the assistant use the active version.
        </span>
        <Button asChild size="sm">
          <Link href={routes.compareVersions(workspace, deploymentId, place.assistant)}>
            <ArrowLeftRight aria-hidden />
            Compare
          </Link>
        </Button>
      </p>
      <DataTable
        label="Versions"
        columns={columns}
        rows={rows}
        rowKey={(one) => String(one.version)}
        isMarked={(one) => one.version === active}
        empty={<EmptyState title="No versions">The server lists no versions.</EmptyState>}
      />
      {rows ? (
        <Pager
          offset={offset}
          size={PAGE_SIZE}
          shown={list.data && list.data.length > PAGE_SIZE ? PAGE_SIZE : rows.length}
          total={list.data && list.data.length <= PAGE_SIZE ? offset + rows.length : undefined}
          onMove={(next) => setOffset(Number(next))}
        />
      ) : null}
      {chosen !== undefined && active !== undefined ? (
        <ActivateVersion place={place} version={chosen} active={active} onClose={() => setChosen(undefined)} />
      ) : null}
    </>
  )
}

type ColumnsInput = Pick<Props, 'place'> & {
  authors: ReadonlyMap<number, string>
  active: number | undefined
  rows: readonly Assistant[]
  whyNot: string | undefined
  onActivate: (version: number) => void
}

const columnsFor = ({ place, active, authors, rows, whyNot, onActivate }: ColumnsInput): Column<Assistant>[] => [
  {
    id: 'version',
    header: 'Version',
    className: 'w-32',
    cell: (one) => (
      <span className="inline-flex items-center gap-2 tabular-nums">
        {one.version}
        {one.version === active ? <StatusBadge tone="ok">active</StatusBadge> : null}
      </span>
    ),
  },
  {
    id: 'created',
    header: 'Created',
    className: 'w-28 text-ink-2',
    cell: (one) => <RelativeTime at={one.created_at} />,
  },
  {
    id: 'by',
    header: 'By',
    from: 'sm',
    cell: (one) =>
      authors.get(one.version ?? 0) ?? (
        <span className="text-ink-3" title="Created outside this console">
          unknown
        </span>
      ),
  },
  {
    id: 'what',
    header: 'Changes',
    from: 'md',
    cell: (one) => <Changed one={one} before={rows[rows.indexOf(one) + 1]} />,
  },
  {
    id: 'verbs',
    isAside: true,
    header: <span className="sr-only">Actions</span>,
    className: 'text-right',
    cell: (one) =>
      one.version === active || !one.version ? null : (
        <span className="inline-flex gap-1">
          <Button asChild size="sm" variant="ghost" className="max-sm:hidden">
            <Link
              aria-label={`Compare version ${one.version} with the active version`}
              href={routes.compareVersions(place.workspace, place.deploymentId, place.assistant, {
                a: String(Math.min(one.version, active ?? one.version)),
                b: String(Math.max(one.version, active ?? one.version)),
              })}
            >
              Compare
            </Link>
          </Button>
          <Button
            size="sm"
            reason={whyNot}
            aria-label={`Activate version ${one.version}`}
            onClick={() => onActivate(one.version as number)} // distinguished above
          >
            Activate
          </Button>
        </span>
      ),
  },
]

/** The first few fields that differ from the version before. */
function Changed({ one, before }: { one: Assistant; before: Assistant | undefined }) {
  if (one.version === 1) return <span className="text-ink-3">first version</span>
  if (!before) return null
  const paths = differencesOf(comparable(before), comparable(one)).map(({ path }) => path.slice(0, 3).join('.'))
  const text = [...new Set(paths)].join(', ')
  return text ? (
    <code className="font-mono text-ink-2 text-xs" title={text}>
      <VisibleText>{text}</VisibleText>
    </code>
  ) : (
    <span className="text-ink-3">no changes</span>
  )
}
