'use client'

import { useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useProject } from '@/components/traces/common/use-project'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/loading'
import { traces } from '@/lib/contracts/traces'
import { isUuid } from '@/lib/json/guards'
import { apiQuery } from '@/lib/queries/api-query'
import { routes } from '@/lib/routes'
import { LIGHT_FIELDS } from '@/lib/traces/light-run'

const ASK_MS = 500
/** Our own server has a trace within two seconds of the run's end; others may take longer. */
const PATIENCE_MS = 20_000

type Props = { workspace: string; deploymentId: string; run: string }

/**
 * Opens the trace of an agent server's run, which has the run's id or names it in its metadata. Waits a while for it to
 * appear.
 */
export function FindTrace({ workspace, deploymentId, run }: Props) {
  const router = useRouter()
  const project = useProject(workspace, deploymentId)
  const [isOver, setOver] = useState(false)
  const session = project.state === 'found' ? project.session : undefined
  const named = JSON.stringify({ run_id: run })
  const isId = isUuid(run)
  const byMetadata = `has(metadata, ${JSON.stringify(named)})`
  const found = useQuery({
    ...apiQuery(traces.queryTraceRuns, {
      workspace,
      body: {
        session: session ? [session] : [],
        filter: isId ? `or(eq(id, ${JSON.stringify(run)}), ${byMetadata})` : byMetadata,
        limit: 1,
        order: 'asc',
        select: LIGHT_FIELDS,
      },
    }),
    enabled: session !== undefined && !isOver,
    refetchInterval: (query) => (query.state.data?.runs.length ? false : ASK_MS),
  })
  const first = found.data?.runs[0]
  const trace = first?.trace_id ?? first?.id
  useEffect(() => {
    if (trace) router.replace(routes.trace(workspace, deploymentId, trace))
  }, [trace, router, workspace, deploymentId])
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  const all = <Button onClick={() => router.push(routes.traces(workspace, deploymentId))}>All traces</Button>
  if (project.state === 'failed')
    return project.error.code === 'unsupported' ? (
      <EmptyState title="Traces not available">{project.error.message}</EmptyState>
    ) : (
      <ErrorNotice error={project.error} onRetry={project.retry} />
    )
  if (found.error) return <ErrorNotice error={found.error.view} onRetry={() => void found.refetch()} />
  if (isOver && !trace)
    return (
      <EmptyState title="No trace of this run" action={all}>
        It was not traced, or its trace has expired.
      </EmptyState>
    )
  return (
    <p role="status" className="flex items-center justify-center gap-2 py-16 text-ink-2 text-sm">
      <Spinner />
      Looking for the trace of this run…
    </p>
  )
}
