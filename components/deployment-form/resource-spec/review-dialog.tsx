'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { saveResourceSpec } from '@/lib/actions/platform/resource-spec'
import type { ResourceSpecView, SpecOutcome } from '@/lib/contracts/deployments/resource-spec-view'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { EditSnapshot } from '@/lib/edit'
import type { FieldError } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import { pathText } from '@/lib/json/value'
import { differences } from './difference'
import { SpecConflict } from './spec-conflict'
import { SpecPart } from './spec-part'
import { type Spec, specOf } from './spec-value'

type Saved = SpecOutcome & { kind: 'saved' }
type ReviewDialogProps = {
  place: DeploymentPlace
  base: Spec
  draft: Spec
  snapshot: EditSnapshot
  onClose: () => void
  onSaved: (saved: Saved) => void
  /** Called with the rejected fields; the rest of the error is shown here. */
  onRefused: (fields: FieldError[]) => void
  /** Called when the spec has changed; the draft then applies to the new spec. */
  onRebase: (view: ResourceSpecView, draft: Spec) => void
}

/** Shows the changes before they are sent. */
export const ReviewDialog = (props: ReviewDialogProps) => (
  <Dialog
    open
    onOpenChange={props.onClose}
    title="Review changes"
    description="Saving replaces the whole spec and creates a new revision."
    className="w-[min(48rem,calc(100vw-2rem))]"
  >
    <Review {...props} />
  </Dialog>
)

function Review({ place, base, draft, snapshot, onClose, onSaved, onRefused, onRebase }: ReviewDialogProps) {
  // One key per opened review, so that sending twice is one request.
  const [key] = useState(newRequestKey)
  const [conflict, setConflict] = useState<SpecOutcome & { kind: 'conflict' }>()
  const { isBusy, error, save } = useSave<SpecOutcome>()
  if (conflict)
    return (
      <SpecConflict
        message={conflict.message}
        base={base}
        mine={draft}
        theirs={specOf(conflict.view.text)}
        onCancel={onClose}
        onResolve={(merged) => onRebase(conflict.view, merged)}
      />
    )
  const send = () =>
    void save(
      async () => {
        const result = await saveResourceSpec({ place, key, snapshot, spec: printJson(draft) })
        if (!result.ok) onRefused(result.error.fields)
        return result
      },
      (outcome) => (outcome.kind === 'saved' ? onSaved(outcome) : setConflict(outcome)),
    )
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label="Changes" className="flex flex-col gap-2">
        {differences(base, draft).map(({ path, kind, old, new: now }) => (
          <li key={`${kind} ${pathText(path)}`} className="rounded-md border px-3 py-2">
            <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
              <code className="break-all font-medium font-mono text-xs">{pathText(path)}</code>
              <span className="text-ink-3 text-xs">{KINDS[kind]}</span>
            </p>
            <div className="mt-1 grid gap-x-3 gap-y-1 sm:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
              <SpecPart value={old} isGone={kind !== 'moved'} />
              <span aria-hidden className="text-ink-3 max-sm:hidden">
                →
              </span>
              <SpecPart value={now} />
            </div>
          </li>
        ))}
      </ul>
      {error ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" isBusy={isBusy} onClick={send}>
          Save and create revision
        </Button>
      </div>
    </div>
  )
}

const KINDS = { added: 'added', changed: 'changed', removed: 'removed', moved: 'reordered' }
