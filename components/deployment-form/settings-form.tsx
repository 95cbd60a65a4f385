'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { type FormEvent, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { readSettings, saveSettings } from '@/lib/actions/deployments'
import { controlPlane } from '@/lib/contracts/control-plane'
import {
  changeOf,
  type Setting,
  type Settings,
  settingsDifference,
  settingsFor,
  settingsOf,
} from '@/lib/contracts/deployments/deployment-settings'
import { mayDeployment } from '@/lib/contracts/wire/state'
import type { EditSnapshot, SavedEdit } from '@/lib/edit'
import type { ErrorView, Result } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { invalidate } from '@/lib/queries/api-query'
import { deploymentQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { FixedFields } from './fixed-fields'
import { placeSettingIssues, rebased, type SettingIssues, settingConflicts, settingIssues } from './settings-draft'
import { SettingsFields } from './settings-fields'
import { useFocusIssue } from './use-focus-issue'

const SettingsReview = dynamic(() => import('./settings-review').then((module) => module.SettingsReview), {
  ssr: false,
})
const SettingsConflict = dynamic(() => import('./settings-review').then((module) => module.SettingsConflict), {
  ssr: false,
})

export type SettingsView = { source: string; settings: Settings; snapshot: EditSnapshot }
type SettingsPageProps = {
  workspace: string
  deploymentId: string
  /** Null for users who may not edit. */
  view: SettingsView | null
  /** Whether the user may list branches, which takes the role for the whole workspace. */
  canListRefs?: boolean
}

/** The general settings of a deployment: editable ones and fixed ones. */
export function SettingsPage({ workspace, deploymentId, view, canListRefs = false }: SettingsPageProps) {
  const { data } = useQuery(deploymentQuery(workspace, deploymentId))
  const rights = useReasons().administer
  if (!data) return null // the layout shows the load error
  const may = mayDeployment('update', data.status)
  const reason = rights ?? (may.allowed ? undefined : may.reason)
  const { integration_id: integration, repo_url: url } = data.source_config
  // A request that is refused would be in the audit trail as an attempt.
  const repository = { integration: (canListRefs && integration) || '', url: url ?? '' }
  const given = view ?? { source: data.source, settings: settingsOf(data), snapshot: null }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SettingsForm
        workspace={workspace}
        deploymentId={deploymentId}
        repository={repository}
        view={given}
        reason={reason}
      />
      <FixedFields workspace={workspace} deployment={data} />
    </div>
  )
}

type Given = Omit<SettingsView, 'snapshot'> & { snapshot: EditSnapshot | null }
type SettingsFormProps = {
  workspace: string
  deploymentId: string
  repository: { integration: string; url: string }
  view: Given
  reason: string | undefined
}
type Met = { message: string; now: SettingsView }

function SettingsForm({ workspace, deploymentId, repository, view: given, reason }: SettingsFormProps) {
  const client = useQueryClient()
  const place = { workspace, deploymentId }
  const [view, setView] = useState(given)
  const [draft, setDraft] = useState(given.settings)
  const [issues, setIssues] = useState<SettingIssues>({})
  const [error, setError] = useState<ErrorView>()
  const [mode, setMode] = useState<'edit' | 'review'>('edit')
  const [met, setMet] = useState<Met>()
  const [isSending, setSending] = useState(false)
  const [revision, setRevision] = useState<string>()
  const key = useRef({ request: '', id: '' })
  const [refused, setRefused] = useState<SettingIssues>()
  const form = useFocusIssue(refused)

  const settings = settingsFor(view.source)
  const differences = settingsDifference(view.settings, draft, settings)

  function review(event: FormEvent) {
    event.preventDefault()
    if (reason || differences.length === 0) return
    const found = settingIssues(differences)
    setIssues(found)
    setRefused(found)
    setError(undefined)
    if (Object.keys(found).length === 0) setMode('review')
  }

  async function send() {
    if (!view.snapshot || isSending) return
    setSending(true)
    const change = changeOf(differences)
    const request = JSON.stringify([view.snapshot.digest, change])
    if (key.current.request !== request) key.current = { request, id: newRequestKey() }
    const sent = saveSettings({ place, key: key.current.id, snapshot: view.snapshot, change })
    const result = await sent.catch((): Result<SavedEdit> => ({ ok: false, error: LOST }))
    if (result.ok) take(result.data, { ...view.settings, ...change })
    else if (result.error.code === 'conflict' && result.error.conflict) await meet(result.error)
    else {
      const placed = placeSettingIssues(result.error, settings)
      setIssues(placed.issues)
      setRefused(placed.issues)
      setError(placed.rest)
    }
    setMode('edit')
    setSending(false)
  }

  function take(saved: SavedEdit, now: Settings) {
    setView({ ...view, settings: now, snapshot: saved.snapshot })
    setDraft(now)
    setError(undefined)
    setRevision(saved.revision ?? undefined)
    if (saved.note) toast.warning(saved.note)
    else toast.success(saved.revision ? 'Saved. A new revision is being created.' : 'Saved')
    for (const op of [controlPlane.getDeployment, controlPlane.listDeployments, controlPlane.listRevisions])
      void invalidate(client, op, workspace)
  }

  /** Reads the current values after a conflict, because the conflict says only who changed what. */
  async function meet(conflict: ErrorView) {
    const now = await readSettings(place).catch(
      (): Awaited<ReturnType<typeof readSettings>> => ({ ok: false, error: LOST }),
    )
    if (now.ok) setMet({ message: conflict.message, now: now.data })
    else setError(now.error)
  }

  const rows = met
    ? settingConflicts(view.settings, { ...view.settings, ...changeOf(differences) }, met.now.settings, settings)
    : []
  return (
    <form
      ref={form}
      noValidate
      onSubmit={review}
      aria-label="General settings"
      className="rounded-lg border bg-panel p-4"
    >
      <SectionHeader
        title="General"
        actions={
          <>
            <Button disabled={differences.length === 0} onClick={() => setDraft(view.settings)}>
              Discard
            </Button>
            <Button
              type="submit"
              variant="primary"
              reason={reason ?? (differences.length === 0 ? 'No changes to save.' : undefined)}
            >
              {differences.length === 0
                ? 'Review changes'
                : `Review ${differences.length} ${differences.length === 1 ? 'change' : 'changes'}`}
            </Button>
          </>
        }
      >
        {reason ? <p className="text-ink-2 text-xs">{reason}</p> : null}
      </SectionHeader>
      {revision ? (
        <p role="status" className="mb-3 rounded-md border border-ok/30 bg-ok-soft px-3 py-2">
          Saved.{' '}
          <Link className="font-medium underline" href={routes.revision(workspace, deploymentId, revision)}>
            View revision
          </Link>
        </p>
      ) : null}
      {error ? <ErrorNotice error={error} className="mb-3" /> : null}
      <fieldset disabled={reason !== undefined} className="grid min-w-0 gap-x-4 gap-y-3.5 sm:grid-cols-2">
        <SettingsFields
          workspace={workspace}
          repository={repository}
          settings={settings}
          draft={draft}
          issues={issues}
          onChange={(setting: Setting, value) => {
            setDraft((now) => ({ ...now, [setting]: value }))
            setIssues((now) => ({ ...now, [setting]: undefined }))
          }}
        />
      </fieldset>
      {mode === 'review' ? (
        <SettingsReview
          differences={differences}
          isBusy={isSending}
          onSend={() => void send()}
          onClose={() => setMode('edit')}
        />
      ) : null}
      {met ? (
        <SettingsConflict
          message={met.message}
          rows={rows}
          onCancel={() => setMet(undefined)}
          onResolve={(theirs) => {
            setDraft(rebased(rows, met.now.settings, theirs))
            setView(met.now)
            setMet(undefined)
          }}
        />
      ) : null}
    </form>
  )
}

const LOST: ErrorView = {
  code: 'internal',
  message: 'The console did not respond. Send again to find out: this is safe even if the change was saved.',
  fields: [],
  requestId: '',
}
