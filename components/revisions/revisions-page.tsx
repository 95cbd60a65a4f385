'use client'
import { useQuery } from '@tanstack/react-query'
import { GitCompare } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { BelowNotice, StaleNotice } from '@/components/shared/feedback/stale-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { DataTable } from '@/components/shared/list/data-table'
import { Pager } from '@/components/shared/list/pager'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import type { Change } from '@/lib/contracts/deployments/changes'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { deploymentQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { type AskedVerb, nothingFor, revisionFor } from './asked-verb'
import { revisionColumns } from './columns'
import { PAGE_SIZE, revisionListQueryOf, STATUS_CHOICES } from './common/list-query'
import { type RevisionRow, rowsOf } from './revision-rows'
import { UnreadRevisions } from './unread-revisions'
import { useFreshChanges, useRevisions } from './use-revisions'

const VerbDialog = dynamic(() => import('./verb-dialog').then((file) => file.VerbDialog), { ssr: false })

const ASKED = ['redeploy', 'rollBack'] as const
type Props = { workspace: string; deploymentId: string; changes: Change[] }

/** All revisions of a deployment as a timeline, newest first: commit, author, stages, and how each one served. */
export function RevisionsPage({ workspace, deploymentId, changes }: Props) {
  const search = useSearchParams()
  const set = useSetSearch()
  const query = revisionListQueryOf(search)
  const { data: deployment } = useQuery(deploymentQuery(workspace, deploymentId))
  const list = useRevisions(workspace, deploymentId, query, deployment)
  const { rows, unread, isPartial, isLoading, error, stale, retry } = list
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [picked, pick] = useState<{ verb: AskedVerb; revision: Revision }>()
  const { administer } = useReasons()
  useFreshChanges(rows?.[0]?.id)
  const hasGaps = unread.length > 0
  const isWhole =
    query.offset === 0 && (!query.status || query.status.split(',').includes('DEPLOYED')) && !isPartial && !hasGaps
  const shown = rows && rowsOf({ revisions: rows, deployment, changes, isWhole, hasGaps, pageSize: PAGE_SIZE, query })
  const longestMs = Math.max(0, ...(shown ?? []).map(({ rollOut: one }) => (one?.to ? one.to - one.from : 0)))
  const { name, source, tracing_project_id: project } = deployment ?? {}
  const columns = useMemo(
    () =>
      revisionColumns({
        chosen,
        // Only the last two chosen are kept.
        onChoose: (id) =>
          setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2)),
        reason: administer,
        onRollBack: (revision) => pick({ verb: 'rollBack', revision }),
        tracing: name === undefined || source === 'external' ? undefined : { workspace, name, project },
        longestMs,
      }),
    [chosen, workspace, name, source, project, longestMs, administer],
  )
  const asked = ASKED.find((verb) => verb === search.get('do'))
  const meant = asked && deployment && rows && !administer ? revisionFor(asked, deployment, rows) : undefined
  const dialog = picked ?? (asked && meant ? { verb: asked, revision: meant } : undefined)
  const close = () => {
    pick(undefined)
    if (asked) set({ do: '' })
  }
  const known = STATUS_CHOICES.some(({ value }) => value === (query.status ?? ''))
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Select
          aria-label="Status"
          className="w-auto max-w-full"
          value={query.status ?? ''}
          disabled={isPartial}
          onChange={(event) => set({ status: event.target.value })}
        >
          <option value="">Any status</option>
          {STATUS_CHOICES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {query.status && !known ? <option value={query.status}>{query.status}</option> : null}
        </Select>
        <span className="ml-auto">
          <CompareButton workspace={workspace} deploymentId={deploymentId} chosen={chosen} rows={rows ?? []} />
        </span>
      </div>
      {isPartial ? (
        <p role="status" className="mb-3 rounded-md border bg-sunken px-3 py-2 text-ink-2">
          {deployment?.source === 'external'
            ? 'This agent server was added manually, so it has no revisions.'
            : 'This server does not list revisions. Only the latest and the active one are shown.'}
        </p>
      ) : null}
      {asked && rows && deployment && !meant ? (
        <p role="status" className="mb-3 rounded-md border bg-sunken px-3 py-2 text-ink-2">
          {administer ?? nothingFor(asked, deployment, rows)}
        </p>
      ) : null}
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      <UnreadRevisions unread={unread} />
      {error && !rows ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <BelowNotice stale={stale}>
          <DataTable<RevisionRow>
            label="Revisions"
            columns={columns}
            rows={shown}
            rowKey={({ revision }) => revision.id}
            rowHref={({ revision }) => routes.revision(workspace, deploymentId, revision.id)}
            empty={
              hasGaps ? (
                <EmptyState title="No readable revisions">
                  What the server listed could not be read: see above.
                </EmptyState>
              ) : query.status || query.offset > 0 ? (
                <EmptyState
                  title="No matching revisions"
                  action={<Button onClick={() => set({ status: '', offset: '' })}>Show all revisions</Button>}
                >
                  {query.offset > 0 ? 'There are no more pages.' : 'No revision has this status.'}
                </EmptyState>
              ) : (
                <EmptyState title="No revisions">
                  {deployment?.source === 'external'
                    ? 'This agent server was added manually, so it has no revisions.'
                    : isPartial
                      ? 'This server does not list revisions.'
                      : 'Nothing has been deployed yet.'}
                </EmptyState>
              )
            }
          />
        </BelowNotice>
      )}
      {rows && !isPartial ? (
        <Pager
          offset={query.offset}
          size={PAGE_SIZE}
          shown={rows.length + unread.length}
          isLoading={isLoading}
          onMove={(offset) => set({ offset })}
        />
      ) : null}
      {dialog && deployment ? <VerbDialog {...dialog} {...{ workspace, deployment, changes }} onClose={close} /> : null}
    </>
  )
}

type CompareProps = {
  workspace: string
  deploymentId: string
  chosen: readonly string[]
  rows: readonly { id: string; created_at: string }[]
}

function CompareButton({ workspace, deploymentId, chosen, rows }: CompareProps) {
  const [first, second] = chosen
  if (!first || !second)
    return (
      <Button reason={`Select two revisions to compare (${chosen.length} of 2 selected).`}>
        <GitCompare aria-hidden />
        Compare
      </Button>
    )
  // Newest first, so the lower one is older.
  const place = (id: string) => rows.findIndex((one) => one.id === id)
  const [older, newer] = place(first) > place(second) ? [first, second] : [second, first]
  return (
    <Button asChild variant="primary">
      <Link href={routes.compareRevisions(workspace, deploymentId, older, newer)}>
        <GitCompare aria-hidden />
        Compare
      </Link>
    </Button>
  )
}
