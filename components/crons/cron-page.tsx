'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pause, Pencil, Play, Power, Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { NotOffered } from '@/components/shared/feedback/empty-state'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { NothingHere } from '@/components/shared/feedback/nothing-here'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { useSave } from '@/components/shared/form/use-save'
import { useReasons } from '@/components/shared/layout/rights'
import { Figure, SectionHeader } from '@/components/shared/layout/section-header'
import { IdChip } from '@/components/shared/text/id-chip'
import { LongText } from '@/components/shared/text/long-text'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { deleteCron, runCron, updateCron } from '@/lib/actions/crons'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Cron } from '@/lib/contracts/agents/crons'
import type { CronPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { jsonText } from '@/lib/json/value'
import { invalidate } from '@/lib/queries/api-query'
import { cronQuery } from '@/lib/queries/crons'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { CronState } from './cron-columns'
import { CronRuns } from './cron-runs'
import { FiringsPreview } from './firings-preview'
import type { CronViews } from './input-view'
import { useAssistants } from './use-assistants'

const EditCron = dynamic(() => import('./edit-cron').then((module) => module.EditCron), { ssr: false })

/** One cron: its settings, next runs and past runs. */
export function CronPage({ views, ...place }: CronPlace & { views: CronViews }) {
  const { workspace, deploymentId, cron: id } = place
  const client = useQueryClient()
  const query = cronQuery(workspace, deploymentId, id)
  const { data, error, dataUpdatedAt } = useQuery({ ...query, refetchInterval: 15_000 })
  const retry = useTryAgain(query.queryKey)
  const [isEditing, setEditing] = useState(false)
  const { nameOf } = useAssistants(workspace, deploymentId)
  const changed = (cron: Cron) => {
    client.setQueryData(query.queryKey, cron)
    void invalidate(client, agentServer.searchCrons, workspace)
    setEditing(false)
  }
  if (error?.code === 'unsupported') return <NotOffered what="crons" reason={error.message} />
  if (error?.code === 'not_found' || error?.code === 'invalid') return <NothingHere />
  if (!data)
    return error ? <ErrorNotice error={error.view} onRetry={retry} /> : <LateSkeleton className="h-40 w-full" />
  return (
    <>
      {error ? <StaleNotice {...error.view} at={dataUpdatedAt} onRetry={retry} /> : null}
      <SectionHeader
        title={
          <code className="font-mono">
            <VisibleText>{data.schedule}</VisibleText>
          </code>
        }
        meta={
          <>
            <CronState cron={data} />
            <IdChip id={id} what="cron id" className="text-ink-2" />
          </>
        }
        actions={<CronVerbs place={place} cron={data} onEdit={() => setEditing(true)} onChanged={changed} />}
      >
        <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
          <Figure label="Zone">{data.timezone || 'UTC'}</Figure>
          <Figure label="Next">
            {data.enabled === false ? '–' : <RelativeTime at={data.next_run_date} isPlanned />}
          </Figure>
          {data.end_time ? (
            <Figure label="Ends">
              <RelativeTime at={data.end_time} />
            </Figure>
          ) : null}
          <Figure label="Runs">{(data.assistant_id && nameOf(data.assistant_id)) ?? data.assistant_id ?? '–'}</Figure>
          <Figure label="On">
            {data.thread_id ? (
              <IdChip id={data.thread_id} what="thread id" />
            ) : data.on_run_completed === 'keep' ? (
              'a new thread each time'
            ) : (
              'a new thread each time, deleted afterwards'
            )}
          </Figure>
        </div>
      </SectionHeader>
      {isEditing ? (
        <EditCron place={place} views={views} cron={data} onSaved={changed} onClose={() => setEditing(false)} />
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
          <section aria-label="Next runs" className="rounded-lg border bg-panel p-3">
            {data.enabled === false ? (
              <p className="text-ink-2">Disabled. No runs until it is enabled.</p>
            ) : (
              <FiringsPreview
                id="cron-firings"
                schedule={data.schedule}
                timezone={data.timezone || 'UTC'}
                end={data.end_time ?? undefined}
              />
            )}
          </section>
          <section aria-label="Request" className="rounded-lg border bg-panel p-3">
            <h3 className="mb-1 font-medium text-ink-3 text-xs">Request of each run</h3>
            <LongText
              text={jsonText(data.payload ?? {})}
              className="max-h-72 overflow-auto break-all font-mono text-xs"
            />
          </section>
          <div className="lg:col-span-2">
            <CronRuns place={place} thread={data.thread_id ?? undefined} isKept={data.on_run_completed === 'keep'} />
          </div>
        </div>
      )}
    </>
  )
}

type VerbsProps = { place: CronPlace; cron: Cron; onEdit: () => void; onChanged: (cron: Cron) => void }

function CronVerbs({ place, cron, onEdit, onChanged }: VerbsProps) {
  const { workspace, deploymentId } = place
  const router = useRouter()
  const client = useQueryClient()
  const reason = useReasons().run
  const [isDeleting, setDeleting] = useState(false)
  const change = useSave<Cron>()
  const start = useSave<RecordingSummary>()
  const isBusy = change.isBusy || start.isBusy
  const error = change.error ?? start.error
  const runKey = useRef(newRequestKey())
  const isEnabled = cron.enabled !== false
  const toggle = () =>
    void change.save(
      () =>
        updateCron({
          place,
          key: newRequestKey(),
          expectedUpdatedAt: null,
          patch: JSON.stringify({ enabled: !isEnabled }),
        }),
      onChanged,
    )
  const run = () =>
    void start.save(
      () => runCron({ place, key: runKey.current }),
      ({ id }) => router.push(routes.recording(workspace, deploymentId, id)),
    )
  return (
    <>
      <Button isBusy={isBusy} reason={reason} onClick={run}>
        <Play aria-hidden />
        Run now
      </Button>
      <Button isBusy={isBusy} reason={reason} onClick={toggle}>
        {isEnabled ? <Pause aria-hidden /> : <Power aria-hidden />}
        {isEnabled ? 'Disable' : 'Enable'}
      </Button>
      <Button reason={reason} onClick={onEdit}>
        <Pencil aria-hidden />
        Edit
      </Button>
      <Button variant="danger" reason={reason} onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden />
        Delete
      </Button>
      {error ? <ErrorNotice error={error} className="basis-full" /> : null}
      <QueuedNotice queued={start.queued} className="basis-full" />
      <ConfirmDialog
        open={isDeleting}
        onOpenChange={setDeleting}
        title="Delete this cron?"
        verb="Delete cron"
        action={() => deleteCron({ place })}
        onDone={() => {
          void invalidate(client, agentServer.searchCrons, workspace)
          router.push(routes.crons(workspace, deploymentId))
        }}
      >
        It will stop running. Its runs and their threads are kept. To keep its settings, disable it instead.
      </ConfirmDialog>
    </>
  )
}
