'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { NotOffered } from '@/components/shared/feedback/empty-state'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { useKeptDraft } from '@/components/shared/form/use-kept-draft'
import { useSave } from '@/components/shared/form/use-save'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { Skeleton } from '@/components/ui/loading'
import { toast } from '@/components/ui/toast'
import { createCron } from '@/lib/actions/crons'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { invalidate } from '@/lib/queries/api-query'
import { anyCronQuery } from '@/lib/queries/crons'
import { routes } from '@/lib/routes'
import { type CronDraft, createBody, emptyDraft } from './cron-draft'
import { CronForm } from './cron-form'
import type { CronViews } from './input-view'
import { useAssistants } from './use-assistants'

type Props = DeploymentPlace & { views: CronViews }

/** Creates a cron. The draft survives a reload. */
export function NewCron({ workspace, deploymentId, views }: Props) {
  const router = useRouter()
  const client = useQueryClient()
  const { assistants } = useAssistants(workspace, deploymentId)
  const [draft, setDraft] = useState<CronDraft>(emptyDraft(''))
  const whole = { ...draft, assistant: draft.assistant || (assistants?.[0]?.assistant_id ?? '') }
  const forget = useKeptDraft(`pilothouse.cron.${workspace}.${deploymentId}`, draft, setDraft)
  const { isBusy, error, fieldError, save } = useSave<{ cron: string | undefined; hasRun: boolean }>()
  const crons = useQuery(anyCronQuery(workspace, deploymentId))
  const cronsError = crons.error ?? crons.failureReason
  const key = useRef({ body: '', id: '' })
  const submit = () => {
    const body = createBody(whole)
    if (key.current.body !== body + whole.thread) key.current = { body: body + whole.thread, id: newRequestKey() }
    const thread = whole.thread || undefined
    void save(
      () => createCron({ workspace, deploymentId, thread, key: key.current.id, body }),
      ({ cron, hasRun }) => {
        forget()
        void invalidate(client, agentServer.searchCrons, workspace)
        if (hasRun) toast.warning('This server starts a run as soon as a cron is created.')
        router.push(cron ? routes.cron(workspace, deploymentId, cron) : routes.crons(workspace, deploymentId))
      },
    )
  }
  if (cronsError?.code === 'unsupported') return <NotOffered what="crons" reason={cronsError.message} />
  // Whether the server has crons is not known yet. If it fails to say, creating one will.
  if (crons.isPending && !cronsError)
    return (
      <>
        <SectionHeader title="New cron" />
        <div className="flex max-w-md flex-col gap-4">
          <Skeleton className="h-8" />
          <Skeleton className="h-8" />
          <LateNotice />
        </div>
      </>
    )
  return (
    <>
      <SectionHeader title="New cron" />
      <CronForm
        place={{ workspace, deploymentId }}
        views={views}
        draft={whole}
        onChange={(change) => setDraft((now) => ({ ...now, ...change }))}
        verb="Create cron"
        isBusy={isBusy}
        error={error}
        fieldError={fieldError}
        onSubmit={submit}
        onCancel={() => {
          forget()
          router.push(routes.crons(workspace, deploymentId))
        }}
      />
    </>
  )
}
