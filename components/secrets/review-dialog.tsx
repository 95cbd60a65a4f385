'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Dialog } from '@/components/ui/dialog'
import { saveSecrets } from '@/lib/actions/secrets'
import {
  outcomesOf,
  planChanges,
  type SecretChange,
  type SecretOutcome,
} from '@/lib/contracts/deployments/secret-changes'
import type { SecretsView } from '@/lib/contracts/deployments/secrets-view'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { EditConflict, SavedEdit } from '@/lib/edit'
import { newRequestKey } from '@/lib/format/format'
import { SecretsConflict } from './secrets-conflict'

type Saved = SavedEdit & { view: SecretsView | null }
type ReviewDialogProps = {
  place: DeploymentPlace
  view: SecretsView
  changes: SecretChange[]
  onClose: () => void
  onSaved: (saved: Saved) => void
  /** Called when the list has changed; the draft then applies to the new list. `theirs` are the names to take from it. */
  onRebase: (conflict: EditConflict, theirs: string[]) => void
}

/** Shows the changes by name, never by value, before they are sent. */
export const ReviewDialog = (props: ReviewDialogProps) => (
  <Dialog
    open
    onOpenChange={props.onClose}
    title="Review changes"
    description="Saving replaces the whole list and creates a new revision."
    className="w-[min(40rem,calc(100vw-2rem))]"
  >
    <Review {...props} />
  </Dialog>
)

function Review({ place, view, changes, onClose, onSaved, onRebase }: ReviewDialogProps) {
  // One key per opened review, so that sending twice is one request.
  const [key] = useState(newRequestKey)
  const [mayReplaceUnknown, setMayReplace] = useState(false)
  const { isBusy, error, save } = useSave<Saved>()
  const { conflict } = error ?? {}
  if (error && conflict)
    return (
      <SecretsConflict
        message={error.message}
        conflict={conflict}
        onCancel={onClose}
        onResolve={(theirs) => onRebase(conflict, theirs)}
      />
    )
  const { snapshot } = view
  const send = () => {
    if (!snapshot) return
    const request = { place, key, snapshot, changes, ...(mayReplaceUnknown && { mayReplaceUnknown }) }
    void save(() => saveSecrets(request), onSaved)
  }
  return (
    <div className="flex flex-col gap-3">
      <Outcomes
        outcomes={outcomesOf(
          planChanges(
            view.rows.map(({ name }) => name),
            changes,
            view.source,
          ),
        )}
      />
      {view.isListed ? null : (
        <Checkbox
          checked={mayReplaceUnknown}
          onChange={(event) => setMayReplace(event.target.checked)}
          label="Replace all secrets with this list"
          hint="The server does not list the current secrets. Any others are removed."
        />
      )}
      {error ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" isBusy={isBusy} disabled={!view.isListed && !mayReplaceUnknown} onClick={send}>
          Save and create revision
        </Button>
      </div>
    </div>
  )
}

const GROUPS: [title: string, kinds: SecretOutcome['kind'][]][] = [
  ['Added', ['added']],
  ['Changed', ['replaced', 'renamed and replaced']],
  ['Renamed', ['renamed']],
  ['Removed', ['removed']],
  ['Unchanged', ['untouched']],
]

function Outcomes({ outcomes }: { outcomes: SecretOutcome[] }) {
  return GROUPS.map(([title, kinds]) => {
    const rows = outcomes.filter(({ kind }) => kinds.includes(kind))
    if (rows.length === 0) return null
    return title === 'Unchanged' ? (
      <details key={title}>
        <summary className="cursor-pointer text-ink-2 text-sm">
          {title} ({rows.length})
        </summary>
        <Names rows={rows} />
      </details>
    ) : (
      <section key={title} aria-label={title}>
        <h3 className="font-medium text-sm">
          {title} ({rows.length})
        </h3>
        <Names rows={rows} />
      </section>
    )
  })
}

const Names = ({ rows }: { rows: SecretOutcome[] }) => (
  <ul className="flex flex-wrap gap-x-4 gap-y-1 pt-1 font-mono text-xs">
    {rows.map(({ name, from }) => (
      <li key={`${from ?? ''} ${name}`} className="max-w-full break-all">
        {from === undefined || from === name ? null : (
          <>
            <VisibleText>{from}</VisibleText> →{' '}
          </>
        )}
        <VisibleText>{name}</VisibleText>
      </li>
    ))}
  </ul>
)
