'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useKeptDraft } from '@/components/shared/form/use-kept-draft'
import { PageHeader } from '@/components/shared/layout/page-header'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { createDeployment } from '@/lib/actions/deployments'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { ErrorView } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import { invalidate } from '@/lib/queries/api-query'
import { integrationsQuery, listenersQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { type CreateBody, createRequest } from './create-request'
import { type CreateValues, filled, type Issues, NO_VALUES, type SecretDraft } from './create-values'
import { DockerSections, listenerRules } from './docker-sections'
import { GithubSections } from './github-sections'
import { NameField } from './name-field'
import { placeIssues } from './place-issues'
import { type Refusal, refusalsOf } from './resource-spec/refusals'
import { ResourcesSection } from './resources-section'
import { SecretsSection } from './secrets-section'
import { SourceField } from './source-field'
import { Section } from './text-field'
import { useFocusIssue } from './use-focus-issue'

const CreateReview = dynamic(() => import('./create-review').then((module) => module.CreateReview), { ssr: false })

/** Creates a deployment, with a review of the request before it is sent. */
export function CreateForm({ workspace }: { workspace: string }) {
  const router = useRouter()
  const client = useQueryClient()
  const reason = useReasons().administer
  const [typed, setTyped] = useState(NO_VALUES)
  const [secrets, setSecrets] = useState<readonly SecretDraft[]>([])
  const [issues, setIssues] = useState<Issues>({})
  const [error, setError] = useState<ErrorView>()
  const [specRefusals, setSpecRefusals] = useState<readonly Refusal[]>([])
  const [reviewed, setReviewed] = useState<CreateBody>()
  const [isSending, setSending] = useState(false)
  // Kept apart from `issues`, because typing clears those one by one and must not move the focus.
  const [refused, setRefused] = useState<Issues>()
  const form = useFocusIssue(refused)
  // One key per request body, so that sending twice creates one deployment.
  const key = useRef({ body: '', id: '' })

  const values = useOnlyChoices(workspace, typed)
  const rules = listenerRules(useQuery(listenersQuery(workspace)).data, values.listener)
  const change = (part: Partial<CreateValues>) => {
    setTyped((now) => ({ ...now, ...part }))
    setIssues((now) => without(now, Object.keys(part)))
  }
  // Secrets are never stored, nor the resource spec, whose container environment may hold some.
  const { resourceSpec: _, ...kept } = typed
  const forgetDraft = useKeptDraft(`pilothouse.create.${workspace}`, kept, (draft) =>
    setTyped((now) => ({ ...now, ...draft })),
  )

  useConfirmLeave(filled(secrets).length > 0 && !isSending)

  function review(event: FormEvent) {
    event.preventDefault()
    if (isSending || reason) return
    const request = createRequest(values, secrets, rules)
    setError(undefined)
    setIssues(request.ok ? {} : request.issues)
    if (request.ok) return setReviewed(request.body)
    setRefused(request.issues)
  }

  async function send(asked: CreateBody) {
    if (isSending) return
    setSending(true)
    const body = printJson(asked)
    if (key.current.body !== body) key.current = { body, id: newRequestKey() }
    const sent = createDeployment({ workspace, key: key.current.id, body })
    const result = await sent.catch((): Awaited<typeof sent> => ({ ok: false, error: LOST }))
    if (result.ok) {
      const { deployment: deploymentId, revision, note } = result.data
      forgetDraft()
      if (note) toast.warning(note)
      void invalidate(client, controlPlane.listDeployments, workspace)
      router.push(
        revision ? routes.revision(workspace, deploymentId, revision) : routes.deployment(workspace, deploymentId),
      )
      return // stays busy until the next page is loaded
    }
    const placed = placeIssues(result.error, filled(secrets))
    if (placed.issues.name) void invalidate(client, controlPlane.listDeployments, workspace)
    setReviewed(undefined)
    setIssues(placed.issues)
    setRefused(placed.issues)
    setSpecRefusals(refusalsOf(result.error.fields, values.resourceSpec.spec))
    setError(placed.rest)
    setSending(false)
  }

  const section = { workspace, values, issues, change }
  return (
    <div className="mx-auto w-full max-w-3xl">
      <PageHeader title="New deployment" />
      {reason ? <p className="mb-3 rounded-md border bg-sunken px-3 py-2 text-ink-2">{reason}</p> : null}
      <form ref={form} noValidate onSubmit={review}>
        <fieldset disabled={reason !== undefined} className="flex min-w-0 flex-col gap-4">
          <Section title="Deployment">
            <NameField {...section} />
            <SourceField {...section} />
          </Section>
          {values.source === 'github' ? <GithubSections {...section} /> : <DockerSections {...section} />}
          <ResourcesSection {...section} refusals={specRefusals} isReadOnly={reason !== undefined} />
          <SecretsSection
            workspace={workspace}
            values={values}
            secrets={secrets}
            issues={issues}
            onChange={(next) => {
              setSecrets(next)
              setIssues((now) => without(now, ['secrets', ...secrets.map(({ id }) => `secret ${id}`)]))
            }}
          />
        </fieldset>
        <div className="flex flex-col gap-3 pt-4">
          {error ? <ErrorNotice error={error} /> : null}
          <div>
            <Button type="submit" variant="primary" reason={reason} isBusy={isSending}>
              Review
            </Button>
          </div>
        </div>
      </form>
      {reviewed ? (
        <CreateReview
          body={reviewed}
          isBusy={isSending}
          onSend={() => void send(reviewed)}
          onClose={() => setReviewed(undefined)}
        />
      ) : null}
    </div>
  )
}

/** Preselects an integration or listener if there is only one. */
function useOnlyChoices(workspace: string, values: CreateValues): CreateValues {
  const integrations = useQuery(integrationsQuery(workspace)).data ?? []
  const listeners = useQuery(listenersQuery(workspace)).data ?? []
  const only = (list: readonly { id: string }[]) => (list.length === 1 ? (list[0]?.id ?? '') : '')
  return {
    ...values,
    integration: values.integration || only(integrations),
    listener: values.listener || only(listeners),
  }
}

/** Clears the issues of fields that were edited. */
const without = (issues: Issues, fields: readonly string[]): Issues =>
  Object.fromEntries(Object.entries(issues).filter(([field]) => !fields.includes(field)))

/** Asks before the tab is closed or reloaded, because typed secrets would be lost. */
function useConfirmLeave(isDirty: boolean) {
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isDirty])
}

const LOST: ErrorView = {
  code: 'internal',
  message: 'The console did not respond. Send again to find out: this never creates a second deployment.',
  fields: [],
  requestId: '',
}
