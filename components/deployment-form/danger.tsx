'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { VisibleName } from '@/components/shared/text/visible-name'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { toast } from '@/components/ui/toast'
import { deleteDeployment } from '@/lib/actions/deployments'
import { controlPlane } from '@/lib/contracts/control-plane'
import { mayDeployment } from '@/lib/contracts/wire/state'
import { shortId } from '@/lib/format/format'
import { shownText } from '@/lib/format/hidden-characters'
import { newRequestKey } from '@/lib/format/request-key'
import { invalidate } from '@/lib/queries/api-query'
import { deploymentQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { isTypable } from './typable'

const ConfirmDialog = dynamic(
  () => import('@/components/shared/form/confirm-dialog').then((module) => module.ConfirmDialog),
  {
    ssr: false,
  },
)

/** What cannot be taken back. */
export function Danger({ workspace, deploymentId }: { workspace: string; deploymentId: string }) {
  const router = useRouter()
  const client = useQueryClient()
  const { data } = useQuery(deploymentQuery(workspace, deploymentId))
  const rights = useReasons().administer
  const [deletesTracingProject, setDeletesProject] = useState(false)
  /** The key of the opened question: answered twice it is one request. */
  const [key, setKey] = useState<string>()
  if (!data) return null // its failure to load is the frame's to say
  const may = mayDeployment('delete', data.status)
  return (
    <section aria-label="Danger" className="rounded-lg border border-error/40 bg-panel p-4">
      <SectionHeader title="Delete this deployment">
        <p className="text-ink-2 text-sm">
          {may.allowed
            ? 'Its agent server is stopped, and its revisions, threads, runs and everything it stored are gone for good.'
            : 'It is being deleted: the server takes it down, and it goes from the list when that is done.'}
        </p>
      </SectionHeader>
      <div className="flex flex-col items-start gap-3">
        <Checkbox
          label="Delete its tracing project too"
          hint="The traces of all its runs go with it."
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
          onOpenChange={(isOpen) => {
            if (!isOpen) setKey(undefined)
          }}
          title={
            <>
              Delete <VisibleName>{data.name}</VisibleName>
            </>
          }
          verb="Delete deployment"
          typed={isTypable(data.name) ? data.name : shortId(data.id)}
          action={() =>
            deleteDeployment({ workspace, deployment: deploymentId, key, name: data.name, deletesTracingProject })
          }
          onDone={() => {
            toast.success(`${shownText(data.name, 80)} is being deleted.`)
            void invalidate(client, controlPlane.listDeployments, workspace)
            router.push(routes.deployments(workspace))
          }}
        >
          The deployment and everything it stored are gone for good
          {deletesTracingProject ? ', its tracing project with all traces too' : '; its tracing project stays'}.
          {isTypable(data.name)
            ? ''
            : ' Its name is too long to type, or holds characters that cannot be seen: type the beginning of its id instead.'}
        </ConfirmDialog>
      ) : null}
    </section>
  )
}
