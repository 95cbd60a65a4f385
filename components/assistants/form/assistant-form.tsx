'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { type FormEvent, useMemo, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useKeptDraft } from '@/components/shared/form/use-kept-draft'
import { useFocusRefused } from '@/components/shared/form/use-save'
import { useReasons } from '@/components/shared/layout/rights'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { createAssistant, saveAssistant } from '@/lib/actions/assistants'
import { agentServer } from '@/lib/contracts/agent-server'
import { type AssistantDraft, type AssistantOutcome, draftOf } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { ErrorView, Result } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { differencesOf, type JsonPath } from '@/lib/json/difference'
import { parseJson, printJson } from '@/lib/json/lossless'
import { invalidate } from '@/lib/queries/api-query'
import { assistantSchemasQuery } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { EMPTY_DRAFT, keepDraft, type Problems, placeName, placeProblems, restoreDraft, withProblem } from './draft'
import { OtherSections } from './other-sections'
import { DraftProblems } from './problems'
import { SaveBar } from './save-bar'
import { SchemaForm } from './schema-form'

const ConflictDialog = dynamic(() => import('./conflict-dialog').then((module) => module.ConflictDialog), {
  ssr: false,
})

type Props = {
  workspace: string
  deploymentId: string
  /** The graph of the assistant. */
  graph: string
  /** The assistant to edit; absent for a new one. */
  assistant?: Assistant
  /** The highest version number. */
  newest?: number
}

/** Creates or edits an assistant. One draft, as a form or as JSON, is saved as a whole and kept if saving fails. */
export function AssistantForm({ workspace, deploymentId, graph, assistant, newest }: Props) {
  const router = useRouter()
  const client = useQueryClient()
  const whyNot = useReasons().run
  const [first] = useState(() => (assistant ? draftOf(assistant) : EMPTY_DRAFT))
  const [base, setBase] = useState(first)
  const [draft, setDraft] = useState(first)
  // Counts replacements of the whole draft, which reset its fields.
  const [version, setVersion] = useState(0)
  const [unfinished, setUnfinished] = useState<Problems>(new Map())
  const [refused, setRefused] = useState<Problems>(new Map())
  const [error, setError] = useState<ErrorView>()
  const [met, setMet] = useState<{ message: string; now: AssistantDraft }>()
  const [isSending, setSending] = useState(false)
  const key = useRef({ request: '', id: '' })
  const form = useFocusRefused(refused.size > 0 ? refused : undefined)
  const schemas = useQuery({
    ...assistantSchemasQuery(workspace, deploymentId, assistant?.assistant_id ?? graph),
    retry: false,
  })
  const found = useMemo(() => differencesOf(base, draft), [base, draft])

  const replace = (next: { base: AssistantDraft; draft: AssistantDraft }) => {
    setBase(next.base)
    setDraft(next.draft)
    setUnfinished(new Map())
    setRefused(new Map())
    setError(undefined)
    setVersion((count) => count + 1)
  }
  // One draft for all graphs, so that choosing another one loses nothing.
  const storage = `pilothouse.assistant.${workspace}.${deploymentId}.${assistant?.assistant_id ?? 'new'}`
  const forgetDraft = useKeptDraft(storage, keepDraft(base, draft), (text) => {
    const kept = restoreDraft(text)
    if (kept) replace(kept)
  })
  const change = (part: Partial<AssistantDraft>) => setDraft((now) => ({ ...now, ...part }))
  const problems = useMemo(
    () => ({
      problemAt: (path: JsonPath) => unfinished.get(placeName(path)) ?? refused.get(placeName(path)),
      report: (path: JsonPath, message: string | undefined) => {
        const place = placeName(path)
        setUnfinished((now) => withProblem(now, place, message))
        setRefused((now) => withProblem(now, place, undefined))
      },
    }),
    [unfinished, refused],
  )

  async function save(event: FormEvent) {
    event.preventDefault()
    if (whyNot || isSending || unfinished.size > 0) return
    setSending(true)
    setError(undefined)
    const texts = { base: printJson(base), draft: printJson(draft) }
    const request = JSON.stringify(texts)
    if (key.current.request !== request) key.current = { request, id: newRequestKey() }
    const { id } = key.current
    const sent = assistant
      ? saveAssistant({ place: { workspace, deploymentId, assistant: assistant.assistant_id }, key: id, ...texts })
      : createAssistant({ workspace, deploymentId, key: id, graph, draft: texts.draft })
    const result = await sent.catch((): Result<AssistantOutcome> => ({ ok: false, error: LOST }))
    if (result.ok && result.data.kind === 'saved') return leave(result.data)
    setSending(false)
    if (result.ok) {
      if (result.data.kind === 'conflict')
        setMet({ message: result.data.message, now: draftOf(parseJson(result.data.now) as Assistant) }) // from our own server
      return
    }
    const placed = placeProblems(result.error)
    setRefused(placed.problems)
    setError(placed.rest)
  }

  /** Stays busy until the assistant's page is loaded. */
  function leave(outcome: AssistantOutcome & { kind: 'saved' }) {
    forgetDraft()
    const saved = parseJson(outcome.assistant) as Assistant // from our own server
    if (outcome.note) toast.warning(outcome.note)
    else toast.success(assistant ? `Saved and activated version ${saved.version}` : 'Assistant created')
    for (const op of [
      agentServer.getAssistant,
      agentServer.searchAssistants,
      agentServer.countAssistants,
      agentServer.listAssistantVersions,
    ])
      void invalidate(client, op, workspace)
    router.push(routes.assistant(workspace, deploymentId, saved.assistant_id))
    router.refresh()
  }

  const back = assistant
    ? routes.assistant(workspace, deploymentId, assistant.assistant_id)
    : routes.assistants(workspace, deploymentId)
  return (
    <DraftProblems value={problems}>
      <form ref={form} noValidate onSubmit={save} aria-label={assistant ? 'Edit assistant' : 'New assistant'}>
        <SectionHeader
          title={assistant ? `Edit ${assistant.name || assistant.graph_id}` : `New assistant of ${graph}`}
          actions={
            <Button asChild variant="ghost">
              <Link href={back}>Cancel</Link>
            </Button>
          }
        >
          {whyNot ? <p className="text-ink-2 text-xs">{whyNot}</p> : null}
        </SectionHeader>
        <fieldset
          disabled={whyNot !== undefined}
          className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]"
        >
          <section aria-label="Context" className="min-w-0 rounded-lg border bg-panel p-4">
            <h3 className="font-semibold text-sm">Context</h3>
            <p className="mb-2 text-ink-2 text-xs">
              Passed to the graph in each run. Saving replaces the whole context.
            </p>
            <SchemaForm
              key={`context ${version}`}
              label="Context"
              of="this graph’s context"
              schema={schemas.data?.context_schema ?? undefined}
              isPending={schemas.isPending}
              value={draft.context}
              hasUnfinished={unfinished.size > 0}
              onChange={(context) => change({ context })}
            />
          </section>
          <OtherSections key={`others ${version}`} draft={draft} isNew={!assistant} onChange={change} />
        </fieldset>
        {error ? <ErrorNotice error={error} className="mt-4" /> : null}
        <SaveBar
          differences={found}
          next={assistant ? (newest ?? assistant.version ?? 0) + 1 : undefined}
          isSending={isSending}
          reason={
            whyNot ??
            (unfinished.size > 0 ? 'Fix the highlighted fields.' : undefined) ??
            (assistant && found.length === 0 ? 'No changes to save.' : undefined)
          }
          onDiscard={() => replace({ base, draft: base })}
        />
      </form>
      {met ? (
        <ConflictDialog
          message={met.message}
          base={base}
          mine={draft}
          theirs={met.now}
          onCancel={() => setMet(undefined)}
          onResolve={(merged) => {
            replace({ base: met.now, draft: merged })
            setMet(undefined)
          }}
        />
      ) : null}
    </DraftProblems>
  )
}

const LOST: ErrorView = {
  code: 'internal',
  message: 'The console did not respond. Save again: a change that was already saved is not saved twice.',
  fields: [],
  requestId: '',
}
