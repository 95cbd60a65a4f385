'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useEffect, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { inSlices } from '@/components/shared/json/in-slices'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { usePriceBook } from '@/components/traces/common/cost'
import { timeText } from '@/components/traces/common/format'
import { traceHref } from '@/components/traces/common/traces-place'
import { useProject } from '@/components/traces/common/use-project'
import { useTrace } from '@/components/traces/common/use-trace'
import { Select } from '@/components/ui/input'
import type { DeploymentPlace, TracesPlace } from '@/lib/contracts/wire/places'
import { relativeTime } from '@/lib/format/format'
import { traceRunsQuery } from '@/lib/queries/traces'
import { type ComparedPath, comparePaths } from '@/lib/traces/compare'
import { LIGHT_FIELDS, lightRun } from '@/lib/traces/light-run'
import { ComparedTable } from './compared-table'

/** `sessions`: the projects to choose from. */
type PlaceProps = { place: TracesPlace; sessions: string[] }

/** The same for the project of a deployment. */
export function CompareDeploymentTraces({ workspace, deploymentId }: DeploymentPlace) {
  const project = useProject(workspace, deploymentId)
  const sessions = project.state === 'found' ? [project.session] : []
  return <CompareTraces place={{ workspace, deploymentId }} sessions={sessions} />
}

/** Two traces side by side, matched by the names on the path to each run. */
export function CompareTraces({ place, sessions }: PlaceProps) {
  const search = useSearchParams()
  const setSearch = useSetSearch({ isLocal: true })
  const [a, b] = [search.get('a') ?? '', search.get('b') ?? '']
  return (
    <>
      <SectionHeader title="Compare traces" />
      <div className="mb-3 grid gap-3 sm:grid-cols-2">
        <Pick {...{ place, sessions }} label="Trace A" value={a} onChange={(id) => setSearch({ a: id })} />
        <Pick {...{ place, sessions }} label="Trace B" value={b} onChange={(id) => setSearch({ b: id })} />
      </div>
      {a && b ? (
        <Compared key={`${a} ${b}`} place={place} a={a} b={b} />
      ) : (
        <div className="rounded-lg border bg-panel">
          <EmptyState title="Choose two traces">Their runs are compared by name.</EmptyState>
        </div>
      )}
    </>
  )
}

/** Chooses one of the newest traces, or shows the one in the URL. */
function Pick({ place, sessions: session, label, value, onChange }: PlaceProps & PickProps) {
  const body = { session, is_root: true, limit: 50, select: LIGHT_FIELDS }
  const list = useQuery({ ...traceRunsQuery(place.workspace, body), enabled: session.length > 0 })
  const now = list.dataUpdatedAt
  const runs = (list.data?.runs ?? []).map(lightRun)
  const isListed = runs.some(({ id, trace }) => (trace ?? id) === value)
  return (
    <div className="flex items-center gap-2">
      <Select aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">{label} …</option>
        {value && !isListed ? <option value={value}>{value}</option> : null}
        {runs.map(({ id, trace, name, start, latency, status }) => (
          <option key={id} value={trace ?? id}>
            {[name.slice(0, 60), start && relativeTime(start, now), timeText(latency), status === 'error' && 'failed']
              .filter(Boolean)
              .join(', ')}
          </option>
        ))}
      </Select>
      {value ? (
        <Link className="shrink-0 text-accent text-xs underline" href={traceHref(place, value)}>
          Open
        </Link>
      ) : null}
    </div>
  )
}
type PickProps = { label: string; value: string; onChange: (id: string) => void }

function Compared({ place, a, b }: { place: TracesPlace; a: string; b: string }) {
  const { workspace } = place
  const left = useTrace(workspace, a)
  const right = useTrace(workspace, b)
  const book = usePriceBook(workspace)
  const isWhole = left.isWhole && right.isWhole
  const [rows, setRows] = useState<readonly ComparedPath[]>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trees are mutated in place; their versions signal changes
  useEffect(
    () => (isWhole ? inSlices(comparePaths(left.tree, right.tree), setRows) : undefined),
    [isWhole, left.tree, left.version, right.tree, right.version],
  )
  const failed = left.error ? left : right.error ? right : undefined
  if (failed?.error) return <ErrorNotice error={failed.error} onRetry={failed.retry} />
  if (!rows) return <LateSkeleton className="h-64 w-full" />
  if (left.tree.size === 0 || right.tree.size === 0)
    return (
      <ErrorNotice
        error={{ message: `Trace ${left.tree.size === 0 ? 'A' : 'B'} was not found. It may have expired.` }}
      />
    )
  return (
    <ComparedTable rows={rows} book={book} href={(which, run) => traceHref(place, which === 'a' ? a : b, { run })} />
  )
}
