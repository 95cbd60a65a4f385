'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { VisibleName } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { toast } from '@/components/ui/toast'
import { deleteDeployment } from '@/lib/actions/deployments'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { mayDeployment } from '@/lib/contracts/wire/state'
import { newRequestKey, shortId } from '@/lib/format/format'
import { isTypable, shownText } from '@/lib/format/hidden-characters'
import { invalidate } from '@/lib/queries/api-query'
import { deploymentQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'

const ConfirmDialog = dynamic(
  () => import('@/components/shared/form/confirm-dialog').then((module) => module.ConfirmDialog),
  {
    ssr: false,
  },
)

/** Irreversible actions. */
export function Danger({ workspace, deploymentId }: DeploymentPlace) {
  const router = useRouter()
  const client = useQueryClient()
  const { data } = useQuery(deploymentQuery(workspace, deploymentId))
  const rights = useReasons().administer
  const [deletesTracingProject, setDeletesProject] = useState(false)
  /** One key per opened dialog, so that confirming twice sends one request. */
  const [key, setKey] = useState<string>()
  if (!data) return null // the layout shows the load error
  const may = mayDeployment('delete', data.status)
  return (
    <section aria-label="Danger" className="rounded-lg border border-error/40 bg-panel p-4">
      <SectionHeader title="Delete deployment">
        <p className="text-ink-2 text-sm">
          {may.allowed
            ? 'Stops its agent server and permanently deletes its revisions, threads, runs and stored data.'
            : 'This deployment is being deleted. It disappears from the list when that is done.'}
        </p>
      </SectionHeader>
      <div className="flex flex-col items-start gap-3">
        <Checkbox
          label="Also delete its tracing project"
          hint="Deletes the traces of all its runs."
          checked={deletesTracingProject}
          disabled={rights !== undefined || !may.allowed}
          onChange={(event) => setDeletesProject(event.target.checked)}
        />
        <Button
          variant="danger"
          reason={rights ?? (may.allowed ? undefined : may.reason)}
          onClick={() => setKey(newRequestKey())}
        >
          <Trash2 aria-hidden />
          Delete deployment
        </Button>
      </div>
      {key ? (
        <ConfirmDialog
          open
          onOpenChange={() => setKey(undefined)}
          title={
            <>
              Delete <VisibleName>{data.name}</VisibleName>
            </>
          }
          verb="Delete deployment"
          typed={isTypable(data.name) ? data.name : shortId(data.id)}
          action={() => deleteDeployment({ workspace, deploymentId, key, name: data.name, deletesTracingProject })}
          onDone={() => {
            toast.success(`${shownText(data.name, 80)} is being deleted.`)
            void invalidate(client, controlPlane.listDeployments, workspace)
            router.push(routes.deployments(workspace))
          }}
        >
          The deployment and all its data are permanently deleted
          {deletesTracingProject ? ', including its tracing project and all traces' : '. Its tracing project is kept'}.
          {isTypable(data.name)
            ? ''
            : ' Its name is too long or contains invisible characters, so type the first part of its ID instead.'}
        </ConfirmDialog>
      ) : null}
    </section>
  )
}
