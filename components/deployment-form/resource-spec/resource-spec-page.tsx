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
import { controlPlane } from '@/lib/contracts/control-plane'
import { appliesTo } from '@/lib/contracts/deployments/deployment-rules'
import type { ResourceSpecView, SpecOutcome } from '@/lib/contracts/deployments/resource-spec-view'
import { sourceLabel } from '@/lib/contracts/deployments/source-label'
import { printJson } from '@/lib/json/lossless'
import { invalidate } from '@/lib/queries/api-query'
import { routes } from '@/lib/routes'
import { problemsOf } from './check'
import { differences } from './difference'
import { type Refusal, refusalsOf, standingRefusals } from './refusals'
import { SpecEditor } from './spec-editor'
import type { TextProblem } from './spec-text'
import { isSame, type Spec, specOf, unfinishedIn } from './spec-value'

const ReviewDialog = dynamic(() => import('./review-dialog').then((module) => module.ReviewDialog), { ssr: false })

type Props = { workspace: string; deploymentId: string; view: ResourceSpecView }

/** A deployment's resource spec: one draft, edited as a form or as text, then reviewed and sent as a whole. */
export function ResourceSpecPage({ workspace, deploymentId, view: given }: Props) {
  const needsAdmin = useReasons().administer
  const router = useRouter()
  const client = useQueryClient()
  const [{ view, origin }, setRead] = useState({ view: given, origin: given })
  const base = useMemo(() => specOf(view.text), [view])
  const [draft, setDraft] = useState<Spec>(base)
  const [textProblem, setTextProblem] = useState<TextProblem>()
  const [refusals, setRefusals] = useState<readonly Refusal[]>([])
  const [isReviewing, setReviewing] = useState(false)
  const [saved, setSaved] = useState<SpecOutcome & { kind: 'saved' }>()
  // Counts replacements of the draft from outside the editor.
  const [version, setVersion] = useState(0)

  const replace = (next: Spec) => {
    setDraft(next)
    setTextProblem(undefined)
    setRefusals([])
    setVersion((count) => count + 1)
  }
  if (origin !== given) {
    // The server has read the spec again. The draft keeps its original base, so that a conflict is found when it is sent.
    const isUntouched = !textProblem && isSame(draft, base)
    setRead({ view: isUntouched ? given : view, origin: given })
    if (isUntouched) replace(specOf(given.text))
  }

  const applies = appliesTo(view.source, 'source_config.resource_spec')
  const isReadOnly = needsAdmin !== undefined || !applies || view.snapshot === null
  const problems = useMemo(
    () => (isReadOnly ? [] : [...problemsOf(draft, base), ...standingRefusals(refusals, draft)]),
    [draft, base, refusals, isReadOnly],
  )
  const unfinished = useMemo(() => unfinishedIn(draft), [draft])
  const count = useMemo(() => (unfinished ? 1 : differences(base, draft).length), [base, draft, unfinished])

  function onSaved(outcome: SpecOutcome & { kind: 'saved' }) {
    setSaved(outcome)
    setReviewing(false)
    if (outcome.view) {
      setRead({ view: outcome.view, origin })
      replace(specOf(outcome.view.text))
    } else {
      // The spec could not be read after saving, so the sent one is shown until the page is refreshed.
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
    (view.snapshot === null ? 'This deployment cannot be edited here.' : undefined) ??
    (textProblem ? 'Fix the text first.' : undefined) ??
    (problems.length > 0 ? 'Fix the highlighted fields.' : undefined) ??
    (count === 0 ? 'No changes to save.' : undefined)
  return (
    <section aria-label="Resources" className="flex min-w-0 flex-col gap-3">
      <SectionHeader
        title="Resource spec"
        meta={<Figure label="Draft changes">{count}</Figure>}
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
          The resources that the deployment requests from its cluster. Saving creates a new revision.
        </p>
      </SectionHeader>
      {isReadOnly ? (
        <Notice>
          {applies
            ? (needsAdmin ?? 'This server does not allow edits.')
            : `Deployments of the source ${sourceLabel(view.source)} get their resources from the deployment type, so this spec cannot be edited.`}
        </Notice>
      ) : null}
      {saved ? (
        <Notice tone={saved.note ? 'warn' : 'ok'} onDismiss={() => setSaved(undefined)}>
          {saved.note ?? (saved.revision ? 'Saved.' : 'Saved. The server did not report a new revision.')}{' '}
          {saved.revision ? (
            <Link className="font-medium underline" href={routes.revision(workspace, deploymentId, saved.revision)}>
              View revision
            </Link>
          ) : null}
        </Notice>
      ) : null}
      <SpecEditor
        draft={draft}
        problems={problems}
        textProblem={textProblem}
        isReadOnly={isReadOnly}
        version={version}
        onChange={setDraft}
        onTextProblem={setTextProblem}
      />
      {isReviewing && view.snapshot ? (
        <ReviewDialog
          place={{ workspace, deploymentId }}
          base={base}
          draft={draft}
          snapshot={view.snapshot}
          onClose={() => setReviewing(false)}
          onSaved={onSaved}
          onRefused={(fields) => setRefusals(refusalsOf(fields, draft))}
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
