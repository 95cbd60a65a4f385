'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, Plus } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ContextForm } from '@/components/runs/chat/composer/context-field'
import { contextOf } from '@/components/runs/chat/use-chat-options'
import type { StartIssue } from '@/components/runs/start/start-issues'
import { configurationBody } from '@/components/runs/start/start-request'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { useSave } from '@/components/shared/form/use-save'
import { Panel } from '@/components/shared/layout/panel'
import { useRunReason } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { startExperiment } from '@/lib/actions/experiments'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import { count, newRequestKey } from '@/lib/format/format'
import { assistantSchemasQuery, findAssistant, nameOfAssistant, pickableAssistants } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { type Check, type InputSet, MAX_SUBJECTS, type Subject } from '@/lib/stream/experiments'
import { CheckFields } from './check-fields'
import {
  checkOf,
  columnOf,
  firstChecks,
  firstSubjects,
  type Given,
  hasTwin,
  inputsOf,
  nameOf,
  nextSubject,
  type SubjectDraft,
  textOfInputs,
} from './draft'
import { type InputDraft, InputFields, type PastInput } from './input-fields'
import { SubjectFields } from './subject-fields'

type Props = {
  workspace: string
  given: Given
  past: readonly PastInput[]
  sets: readonly InputSet[]
  Context: ContextForm
}

/** Chooses assistants, inputs and checks, and starts a run of each pair. */
export function NewExperiment({ workspace, given, past, sets: savedSets, Context }: Props) {
  const router = useRouter()
  const client = useQueryClient()
  const [drafts, setDrafts] = useState(() => firstSubjects(given))
  const deployments = useQuery(deploymentsQuery(workspace, { limit: 100 }))
  const servers = (deployments.data?.resources ?? []).filter(hasServer)
  // Already in the server's page: a choice made before the program comes is known by its difference.
  const usual = servers[0]?.id ?? ''
  const shownOf = (one: SubjectDraft) => ({ ...one, deployment: one.deployment || usual })
  const subjects = drafts.map(shownOf)
  const away = deployments.data ? undefined : (deployments.error ?? deployments.failureReason)
  const reason = useRunReason(subjects.map(({ deployment }) => deployment || undefined))
  const [input, setInput] = useState<InputDraft>(() => ({
    ...(given.again ? textOfInputs(given.again.inputs) : { kind: 'message', text: '' }),
    chosen: [],
  }))
  const [checks, setChecks] = useState(() => firstChecks(given))
  const [sets, setSets] = useState(savedSets)
  const [hasTried, setTried] = useState(false)
  const key = useRef({ body: '', id: '' })
  const add = useRef<HTMLButtonElement>(null)
  const { isBusy, error, fieldError, save } = useSave<string>()

  const { inputs, problem } = inputsOf(input.kind, input.text, input.chosen)
  const made = checks.map(checkOf)
  const problems = made.map((one, index) => fieldError(`checks.${index}`) ?? (typeof one === 'string' ? one : ''))
  const wrong = subjects.map((one, index): StartIssue[] => {
    const refused = fieldError(`subjects.${index}.options`)
    return [
      ...configurationBody(one).issues,
      ...(refused ? [{ field: 'more' as const, path: '', message: refused }] : []),
    ]
  })
  const isReady = subjects.every(({ deployment, assistant }) => deployment && assistant)
  const set = (of: string, change: (now: SubjectDraft) => SubjectDraft) =>
    setDrafts((all) => all.map((one) => (one.key === of ? change(shownOf(one)) : one)))

  /** With the names of now, so that the experiment stays readable when an assistant is gone. */
  const named = async (): Promise<Subject[]> =>
    Promise.all(
      subjects.map(async (one) => {
        const { deployment, assistant, version, context } = one
        const server = servers.find(({ id }) => id === deployment)
        const found = findAssistant(await client.ensureQueryData(pickableAssistants(workspace, deployment)), assistant)
        const schemas = assistantSchemasQuery(workspace, deployment, found?.assistant_id ?? assistant)
        const read = context
          ? await client.ensureQueryData({ ...schemas, retry: false }).catch(() => undefined)
          : undefined
        return {
          ...{ deployment, assistant, version: version === '' ? null : Number(version) },
          ...columnOf(one, contextOf(read).isConfigured),
          deploymentName: server?.name ?? deployment,
          name: found ? nameOfAssistant(found) : assistant,
          ...(one.revision
            ? { revision: one.revision, isPinned: true }
            : { revision: server?.active_revision_id ?? null }),
        }
      }),
    )
  // Enter may come before the assistants have loaded.
  const [isWanted, setWanted] = useState(false)
  const startWanted = useEffectEvent(() => start())
  useEffect(() => {
    if (isWanted && isReady) startWanted()
  }, [isWanted, isReady])
  function start() {
    setTried(true)
    setWanted(!isReady)
    if (reason || isBusy || problem || !isReady || made.some((one) => typeof one === 'string')) return
    if (subjects.some((one) => configurationBody(one).issues.length > 0)) return
    const valid = made.filter((one): one is Check => typeof one !== 'string')
    const body = JSON.stringify([inputs, valid, subjects.map(({ key: _, ...subject }) => subject)])
    if (key.current.body !== body) key.current = { body, id: newRequestKey() }
    const asked = { workspace, name: nameOf(inputs), key: key.current.id, inputs, checks: valid }
    void save(
      async () => startExperiment({ ...asked, subjects: await named() }),
      (id) => router.push(routes.experiment(workspace, id)),
    )
  }
  const activeOf = ({ deployment }: SubjectDraft) => servers.find(({ id }) => id === deployment)?.active_revision_id
  const served = subjects.map((one) => (one.revision === activeOf(one) ? { ...one, revision: '' } : one))
  const runs = inputs.length * served.filter(({ revision }) => revision === '').length
  return (
    <form
      className="max-w-4xl space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        start()
      }}
    >
      <Panel title="Inputs">
        <InputFields
          workspace={workspace}
          value={input}
          onChange={setInput}
          past={past}
          sets={sets}
          onSets={setSets}
          problem={hasTried ? (problem ?? fieldError('inputs')) : undefined}
          onSubmit={start}
        />
      </Panel>
      <Panel title="Assistants">
        <p className="mb-3 text-ink-2 text-xs">
          Only the revision that serves can run. Another one shows its results in earlier experiments on the same
          inputs, or waits until it serves.
        </p>
        {away ? <ErrorNotice error={away.view} onRetry={() => void deployments.refetch()} className="mb-3" /> : null}
        {deployments.isPending && !away ? <LateNotice className="mb-3" /> : null}
        {deployments.data && servers.length === 0 ? (
          <p className="text-ink-2 text-sm">No deployment has rolled out yet.</p>
        ) : null}
        <ul className="space-y-2" hidden={servers.length === 0 && (Boolean(away) || !deployments.isPending)}>
          {subjects.map((one, index) => (
            <SubjectFields
              key={one.key}
              workspace={workspace}
              index={index}
              deployments={servers}
              value={one}
              Context={Context}
              issues={hasTried ? (wrong[index] ?? []) : []}
              isRepeated={subjects.findIndex(({ deployment }) => deployment === one.deployment) < index}
              onChange={(change) => set(one.key, change)}
              onRemove={
                subjects.length > 1
                  ? () => {
                      setDrafts((all) => all.filter(({ key: of }) => of !== one.key))
                      setTimeout(() => add.current?.focus()) // the button that was pressed goes
                    }
                  : undefined
              }
            />
          ))}
        </ul>
        <div className="mt-2 flex flex-wrap items-center gap-3">
          <Button
            ref={add}
            size="sm"
            disabled={subjects.length >= MAX_SUBJECTS}
            onClick={() => setDrafts((all) => [...all, nextSubject(subjects, newRequestKey())])}
          >
            <Plus aria-hidden />
            Add assistant
          </Button>
          {hasTwin(served) ? (
            <p className="text-ink-3 text-xs">Two columns are the same. That shows how much answers vary.</p>
          ) : null}
        </div>
      </Panel>
      <Panel title="Checks">
        <CheckFields value={checks} onChange={setChecks} problems={hasTried ? problems : []} />
      </Panel>
      {error && error.fields.length === 0 ? <ErrorNotice error={error} /> : null}
      {error && error.fields.length > 0 ? (
        <p role="alert" className="text-error text-sm">
          {error.message}
        </p>
      ) : null}
      <div className="flex items-center gap-3">
        <Button type="submit" variant="primary" isBusy={isBusy} reason={reason} disabled={!isReady}>
          <Play aria-hidden />
          {runs > 1
            ? `Start ${count(runs)} runs`
            : runs === 0 && inputs.length > 0
              ? 'Create experiment'
              : 'Start runs'}
        </Button>
        <p className="text-ink-3 text-xs">Each run gets a thread of its own and is recorded.</p>
      </div>
    </form>
  )
}
