'use client'
import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { COMPARABLE } from '@/components/revisions/common/list-query'
import { RevisionSelect } from '@/components/revisions/common/revision-select'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import type { Change } from '@/lib/contracts/deployments/changes'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { deploymentQuery } from '@/lib/queries/deployments'
import { revisionQuery, revisionsQuery } from '@/lib/queries/revisions'
import { routes } from '@/lib/routes'
import { compareRevisions } from './compare'
import { ChangesBetween, CompareTable } from './compare-table'

type Props = {
  workspace: string
  deploymentId: string
  changes: Change[]
  /** Whether this user may see secret names. */
  showsSecretNames: boolean
}

/** Two revisions side by side, chosen in the URL. Defaults to the two newest. */
export function ComparePage({ workspace, deploymentId, changes, showsSecretNames }: Props) {
  const search = useSearchParams()
  const set = useSetSearch({ isLocal: true })
  const list = useQuery(revisionsQuery(workspace, deploymentId, COMPARABLE))
  const { data: deployment } = useQuery(deploymentQuery(workspace, deploymentId))
  const rows = list.data?.resources ?? []
  const fallback = (other: string | null) => rows.find(({ id }) => id !== other)?.id ?? ''
  const b = search.get('b') ?? fallback(search.get('a'))
  const a = search.get('a') ?? fallback(b)
  const left = useOne(workspace, deploymentId, a, rows)
  const right = useOne(workspace, deploymentId, b, rows)
  const about = deployment && (showsSecretNames ? deployment : { ...deployment, secrets: undefined })
  const failure = left.error ?? right.error
  const choose = (side: 'a' | 'b', id: string) => set({ a, b, [side]: id })
  return (
    <div className="flex flex-col gap-4">
      <SectionHeader
        title="Compare revisions"
        actions={
          <Button onClick={() => set({ a: b, b: a })}>
            <ArrowLeftRight aria-hidden />
            Swap
          </Button>
        }
      />
      <div className="grid gap-3 sm:grid-cols-2">
        {(
          [
            ['a', 'From', a, left.revision],
            ['b', 'To', b, right.revision],
          ] as const
        ).map(([side, label, id, revision]) => (
          <RevisionSelect
            key={side}
            label={label}
            value={id}
            revision={revision}
            rows={rows}
            href={id ? routes.revision(workspace, deploymentId, id) : undefined}
            onChange={(next) => choose(side, next)}
          />
        ))}
      </div>
      {failure ? (
        <ErrorNotice error={failure.view} />
      ) : left.revision && right.revision ? (
        <>
          <CompareTable rows={compareRevisions(left.revision, right.revision, about)} />
          <ChangesBetween a={left.revision} b={right.revision} changes={changes} />
        </>
      ) : list.isSuccess && rows.length < 2 && (!a || !b) ? (
        <div className="rounded-lg border bg-panel">
          <EmptyState
            title="Nothing to compare"
            action={
              <Button asChild>
                <Link href={routes.revisions(workspace, deploymentId)}>View revisions</Link>
              </Button>
            }
          >
            This deployment has {rows.length === 1 ? 'one revision' : 'no revisions'} so far.
          </EmptyState>
        </div>
      ) : list.error && !a && !b ? (
        <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} />
      ) : (
        <div role="status" aria-label="Loading" className="flex flex-col gap-3 rounded-lg border bg-panel p-4">
          {['w-1/2', 'w-2/3', 'w-1/3'].map((width) => (
            <Skeleton key={width} className={width} />
          ))}
          <LateNotice />
        </div>
      )}
    </div>
  )
}

/** A revision from the list, or fetched by id if it is older or the server has no list. */
function useOne(workspace: string, deploymentId: string, id: string, rows: readonly Revision[]) {
  const listed = rows.find((one) => one.id === id)
  const alone = useQuery({ ...revisionQuery(workspace, deploymentId, id), enabled: id !== '' && !listed })
  return { revision: listed ?? alone.data, error: listed || alone.data ? null : alone.error }
}
