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
import { newRequestKey } from '@/lib/format/request-key'
import { printJson } from '@/lib/json/lossless'
import { invalidate } from '@/lib/queries/api-query'
import { integrationsQuery, listenersQuery } from '@/lib/queries/integrations'
import { routes } from '@/lib/routes'
import { type CreateBody, createRequest } from './create-request'
import { type CreateValues, filled, type Issues, NO_VALUES, type SecretDraft } from './create-values'
import { DockerSections, listenerRules } from './docker-sections'
import { GithubSections } from './github-sections'
import { NameField } from './name-field'
import { placeIssues } from './place-issues'
import { SecretsSection } from './secrets-section'
import { SourceField } from './source-field'
import { Section } from './text-field'
import { useFocusIssue } from './use-focus-issue'

const CreateReview = dynamic(() => import('./create-review').then((module) => module.CreateReview), { ssr: false })

/** Makes a deployment: what it is made of, what it is given, and the request to look at before it is sent. */
export function CreateForm({ workspace }: { workspace: string }) {
  const router = useRouter()
  const client = useQueryClient()
  const reason = useReasons().administer
  const [typed, setTyped] = useState(NO_VALUES)
  const [secrets, setSecrets] = useState<readonly SecretDraft[]>([])
  const [issues, setIssues] = useState<Issues>({})
  const [error, setError] = useState<ErrorView>()
  const [reviewed, setReviewed] = useState<CreateBody>()
  const [isSending, setSending] = useState(false)
  // The issues of the last refusal: typing takes them away one by one, and must not move the focus.
  const [refused, setRefused] = useState<Issues>()
  const form = useFocusIssue(refused)
  // One per request: sent twice it makes one deployment, and with something changed another.
  const key = useRef({ body: '', id: '' })

  const values = useOnlyChoices(workspace, typed)
  const rules = listenerRules(useQuery(listenersQuery(workspace)).data?.resources, values.listener)
  const change = (part: Partial<CreateValues>) => {
    setTyped((now) => ({ ...now, ...part }))
    setIssues((now) => without(now, Object.keys(part)))
  }
  // Neither secrets nor what may hold some (a container's environment in a resource spec) is kept.
  const { resourceSpec: _, ...kept } = typed
  const forgetDraft = useKeptDraft(`pilothouse.create.${workspace}`, kept, (draft) =>
    setTyped((now) => ({ ...now, ...draft })),
  )

  useAskBeforeLeaving(filled(secrets).length > 0 && !isSending)

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
      const { deployment, revision, note } = result.data
      forgetDraft()
      if (note) toast.warning(note)
      void invalidate(client, controlPlane.listDeployments, workspace)
      router.push(
        revision ? routes.revision(workspace, deployment, revision) : routes.deployment(workspace, deployment),
      )
      return // stays busy until that page is there
    }
    const placed = placeIssues(result.error, filled(secrets))
    if (placed.issues.name) void invalidate(client, controlPlane.listDeployments, workspace)
    setReviewed(undefined)
    setIssues(placed.issues)
    setRefused(placed.issues)
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
          <SecretsSection
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

/** What there is only one of is chosen. */
function useOnlyChoices(workspace: string, values: CreateValues): CreateValues {
  const integrations = useQuery(integrationsQuery(workspace)).data ?? []
  const listeners = useQuery(listenersQuery(workspace)).data?.resources ?? []
  const only = (list: readonly { id: string }[]) => (list.length === 1 ? (list[0]?.id ?? '') : '')
  return {
    ...values,
    integration: values.integration || only(integrations),
    listener: values.listener || only(listeners),
  }
}

/** What was said of a field goes as soon as the field is changed. */
const without = (issues: Issues, fields: readonly string[]): Issues =>
  Object.fromEntries(Object.entries(issues).filter(([field]) => !fields.includes(field)))

/** Secrets are kept nowhere: closing or reloading the tab loses them, so it asks first. */
function useAskBeforeLeaving(isAsked: boolean) {
  useEffect(() => {
    if (!isAsked) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isAsked])
}

const LOST: ErrorView = {
  code: 'internal',
  message:
    'The console did not answer. Send it once more: had the deployment been made, that leads to it and makes no other.',
  fields: [],
  requestId: '',
}
