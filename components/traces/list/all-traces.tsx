'use client'

import { useQuery } from '@tanstack/react-query'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { count } from '@/lib/format/format'
import type { SavedView } from '@/lib/lists/saved'
import { MAX_PROJECTS, tracingProjectsQuery } from '@/lib/queries/traces'
import { TracesList } from './traces-list'
import { Panel } from './traces-page'

/** The traces of all projects of a workspace, no matter what logged them. */
export function AllTraces({ workspace, views }: { workspace: string; views: readonly SavedView[] }) {
  const options = tracingProjectsQuery(workspace)
  const result = useQuery(options)
  const { data } = result
  const error = result.error ?? result.failureReason
  const retry = useTryAgain(options.queryKey)
  if (!data && error)
    return error.code === 'unsupported' || error.code === 'not_found' ? (
      <Panel title="Traces not available">This workspace has no tracing server.</Panel>
    ) : (
      <ErrorNotice error={error.view} onRetry={retry} />
    )
  if (!data) return <LateSkeleton className="h-64 w-full" />
  if (data.length === 0)
    return <Panel title="No traces yet">The first run that a deployment or an SDK logs creates a project.</Panel>
  const projects = data
    .map(({ id, name }) => ({ id, name: name || id }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
  return (
    <>
      {data.length >= MAX_PROJECTS ? (
        <p className="mb-2 text-ink-3 text-xs">Covers the first {count(MAX_PROJECTS)} projects.</p>
      ) : null}
      <TracesList
        place={{ workspace }}
        sessions={projects.map(({ id }) => id)}
        projects={projects}
        views={views}
        hint="Runs appear here when a deployment or an SDK logs them."
      />
    </>
  )
}
