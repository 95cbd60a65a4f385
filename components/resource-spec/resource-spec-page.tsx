'use client'
import { useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useMemo, useState } from 'react'
import { Notice } from '@/components/shared/feedback/notice'
import { useReasons } from '@/components/shared/layout/rights'
import { Figure, SectionHeader } from '@/components/shared/layout/section-header'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { Tabs } from '@/components/ui/tabs'
import { controlPlane } from '@/lib/contracts/control-plane'
import { appliesTo } from '@/lib/contracts/deployments/deployment-rules'
import type { ResourceSpecView, SpecOutcome } from '@/lib/contracts/deployments/resource-spec-view'
import type { FieldError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { pathText } from '@/lib/json/value'
import { invalidate } from '@/lib/queries/api-query'
import { routes } from '@/lib/routes'
import { type Problem, problemsOf } from './check'
import { differences } from './difference'
import { Problems } from './problems'
import { SpecForm } from './spec-form'
import type { Format, TextProblem } from './spec-text'
import { isSame, partAt, type Spec, specOf, unfinishedIn } from './spec-value'

const Loading = () => <Skeleton className="h-80" />
const TextView = dynamic(() => import('./text-view').then((module) => module.TextView), {
  ssr: false,
  loading: Loading,
})
const ReviewDialog = dynamic(() => import('./review-dialog').then((module) => module.ReviewDialog), { ssr: false })

type Mode = 'form' | Format
const TABS: { value: Mode; label: string }[] = [
  { value: 'form', label: 'Form' },
  { value: 'yaml', label: 'YAML' },
  { value: 'json', label: 'JSON' },
]

type Props = { workspace: string; deploymentId: string; view: ResourceSpecView }

/** A refusal of the server's and the draft part that it refused: it holds until that part is another. */
type Refusal = Problem & { value: unknown }

/** A deployment's resource spec: one draft, as a form or as text, that is reviewed and sent as a whole. */
export function ResourceSpecPage({ workspace, deploymentId, view: given }: Props) {
  const needsAdmin = useReasons().administer
  const router = useRouter()
  const client = useQueryClient()
  const [{ view, origin }, setRead] = useState({ view: given, origin: given })
  const base = useMemo(() => specOf(view.text), [view])
  const [draft, setDraft] = useState<Spec>(base)
  const [mode, setMode] = useState<Mode>('form')
  const [textProblem, setTextProblem] = useState<TextProblem>()
  const [blocked, setBlocked] = useState<string>()
  const [refusals, setRefusals] = useState<readonly Refusal[]>([])
  const [isReviewing, setReviewing] = useState(false)
  const [saved, setSaved] = useState<SpecOutcome & { kind: 'saved' }>()
  // Counts what replaces the draft from outside of the text view, which then begins anew.
  const [version, setVersion] = useState(0)

  const replace = (next: Spec) => {
    setDraft(next)
    setTextProblem(undefined)
    setBlocked(undefined)
    setRefusals([])
    setVersion((count) => count + 1)
  }
  if (origin !== given) {
    // Read again by the server: a draft stays an edit of what it began with, so that a conflict is found when it is sent.
    const isUntouched = !textProblem && isSame(draft, base)
    setRead({ view: isUntouched ? given : view, origin: given })
    if (isUntouched) replace(specOf(given.text))
  }

  const applies = appliesTo(view.source, 'source_config.resource_spec')
  const isReadOnly = needsAdmin !== undefined || !applies || view.seen === null
  const problems = useMemo(() => {
    const refused = refusals.filter(({ path, value }) => partAt(draft, path) === value)
    return isReadOnly ? [] : [...problemsOf(draft, base), ...refused]
  }, [draft, base, refusals, isReadOnly])
  const unfinished = useMemo(() => unfinishedIn(draft), [draft])
  const count = useMemo(() => (unfinished ? 1 : differences(base, draft).length), [base, draft, unfinished])

  function change(next: Spec) {
    setDraft(next)
    setBlocked(undefined)
  }
  function show(next: Mode) {
    if (next === mode) return
    if (textProblem)
      return setBlocked(
        `The text is no spec yet: line ${textProblem.line}, column ${textProblem.column}. Mend it first.`,
      )
    if (unfinished) return setBlocked(`Finish ${pathText(unfinished.path)} first, or remove it: ${unfinished.message}.`)
    setBlocked(undefined)
    setMode(next)
  }
  function onRefused(fields: FieldError[]) {
    setRefusals(
      fields.flatMap(({ path: [group, field, ...path], message }) => {
        const value = partAt(draft, path)
        // What names no part of the draft is said in the dialog only.
        return group === 'source_config' && field === 'resource_spec' && value !== undefined
          ? [{ path, message, value }]
          : []
      }),
    )
  }
  function onSaved(outcome: SpecOutcome & { kind: 'saved' }) {
    setSaved(outcome)
    setReviewing(false)
    if (outcome.view) {
      setRead({ view: outcome.view, origin })
      replace(specOf(outcome.view.text))
    } else {
      // It could not be read afterwards: what was sent stands until the server's answer to this is there.
      setRead({ view: { ...view, text: printJson(draft) }, origin })
      replace(draft)
      router.refresh()
    }
    void invalidate(client, controlPlane.getDeployment, workspace)
    void invalidate(client, controlPlane.listRevisions, workspace)
  }

  const reason =
    needsAdmin ??
    (applies ? undefined : 'Only self-hosted deployments have a resource spec.') ??
    (view.seen === null ? 'This deployment cannot be edited here.' : undefined) ??
    (textProblem ? 'The text is no spec yet.' : undefined) ??
    (problems.length > 0 ? 'Some fields need another value: see what is marked in red.' : undefined) ??
    (count === 0 ? 'Nothing is changed yet.' : undefined)
  return (
    <section aria-label="Resources" className="flex min-w-0 flex-col gap-3">
      <SectionHeader
        title="Resource spec"
        meta={<Figure label="Changes in the draft">{count}</Figure>}
        actions={
          <>
            <Button disabled={count === 0 && !textProblem} onClick={() => replace(base)}>
              Discard
            </Button>
            <Button variant="primary" reason={reason} onClick={() => setReviewing(true)}>
              {count === 0 ? 'Review changes' : `Review ${count} ${count === 1 ? 'change' : 'changes'}`}
            </Button>
          </>
        }
      >
        <p className="pt-0.5 text-ink-2 text-xs">
          What the deployment asks of its cluster. A change replaces the whole spec and makes a new revision.
        </p>
      </SectionHeader>
      {isReadOnly ? (
        <Notice>
          {applies
            ? (needsAdmin ?? 'The server does not let it be edited.')
            : `This deployment is of source ${view.source}: the platform gives it its resources by its type, and it cannot have a spec of its own.`}
        </Notice>
      ) : null}
      {saved ? (
        <Notice tone={saved.note ? 'warn' : 'ok'} onDismiss={() => setSaved(undefined)}>
          {saved.note ?? (saved.revision ? 'Saved.' : 'Saved; the server named no new revision.')}{' '}
          {saved.revision ? (
            <Link className="font-medium underline" href={routes.revision(workspace, deploymentId, saved.revision)}>
              Watch the new revision
            </Link>
          ) : null}
        </Notice>
      ) : null}
      <Problems value={problems}>
        <Tabs label="Views of the draft" value={mode} onValueChange={(next) => show(next as Mode)} tabs={TABS}>
          {blocked ? (
            <p role="alert" className="mb-3 text-error text-sm">
              {blocked}
            </p>
          ) : null}
          {mode === 'form' ? (
            <fieldset key={version} disabled={isReadOnly} className="min-w-0">
              <SpecForm spec={draft} onChange={change} />
            </fieldset>
          ) : (
            <TextView
              key={`${mode} ${version}`}
              spec={draft}
              format={mode}
              isReadOnly={isReadOnly}
              onChange={change}
              onProblem={setTextProblem}
            />
          )}
        </Tabs>
      </Problems>
      {problems.length > 0 ? (
        <section aria-label="To fix" className="rounded-md border border-error/30 bg-error-soft px-3 py-2 text-sm">
          <h3 className="font-medium">
            {problems.length} {problems.length === 1 ? 'field needs' : 'fields need'} another value
          </h3>
          <ul className="mt-1 text-ink-2 text-xs">
            {problems.map(({ path, message }) => (
              <li key={`${pathText(path)} ${message}`} className="break-words">
                <code className="font-mono">{pathText(path)}</code> {message}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {isReviewing && view.seen ? (
        <ReviewDialog
          place={{ workspace, deployment: deploymentId }}
          base={base}
          draft={draft}
          seen={view.seen}
          onClose={() => setReviewing(false)}
          onSaved={onSaved}
          onRefused={onRefused}
          onRebase={(now, merged) => {
            setRead({ view: now, origin })
            replace(merged)
            setReviewing(false)
          }}
        />
      ) : null}
    </section>
  )
}
