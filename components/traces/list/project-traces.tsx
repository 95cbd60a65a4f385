'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { PageHeader } from '@/components/shared/layout/page-header'
import { IdChip } from '@/components/shared/text/id-chip'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { useDeploymentOf } from '@/components/traces/common/use-projects'
import { Button } from '@/components/ui/button'
import type { SavedView } from '@/lib/lists/saved'
import { projectQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import { TracesList } from './traces-list'

type Props = { workspace: string; project: string; views: readonly SavedView[] }

/** The traces of one project. It need not belong to a deployment: SDKs log under names of their own. */
export function ProjectTraces({ workspace, project, views }: Props) {
  const options = projectQuery(workspace, project)
  const { data, error } = useQuery(options)
  const retry = useTryAgain(options.queryKey)
  const deploymentOf = useDeploymentOf(workspace)
  if (error && !data) return <ErrorNotice error={error.view} onRetry={retry} />
  const deployment = data && deploymentOf(data)
  return (
    <>
      <PageHeader
        title={data ? <VisibleText>{data.name || project}</VisibleText> : 'Project'}
        meta={<IdChip id={project} what="project id" />}
        actions={
          deployment ? (
            <Button asChild>
              <Link prefetch={false} href={routes.deployment(workspace, deployment)}>
                Deployment
              </Link>
            </Button>
          ) : null
        }
      >
        {data?.description ? (
          <LongText text={data.description} limit={300} className="mt-1 max-w-prose text-ink-2 text-sm" />
        ) : null}
      </PageHeader>
      <TracesList
        place={{ workspace, project, ...(deployment && { deploymentId: deployment }) }}
        sessions={[project]}
        views={views}
        hint="Nothing has been logged to this project in this time."
      />
    </>
  )
}
