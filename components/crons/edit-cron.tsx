'use client'
import { useRef, useState } from 'react'
import { Notice } from '@/components/shared/feedback/notice'
import { useSave } from '@/components/shared/form/use-save'
import { updateCron } from '@/lib/actions/crons'
import type { Cron } from '@/lib/contracts/agents/crons'
import type { CronPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { type CronDraft, draftOf, lostMetadata, patchBody, problemsOf } from './cron-draft'
import { CronForm } from './cron-form'
import type { CronViews } from './input-view'

type Props = {
  place: CronPlace
  views: CronViews
  /** The cron as it was when the form opened; only differences from it are sent. */
  cron: Cron
  onSaved: (cron: Cron) => void
  onClose: () => void
}

/** Edits a cron. Fields that are not changed here stay as they are on the server. */
export function EditCron({ place, views, cron, onSaved, onClose }: Props) {
  const [before] = useState(() => draftOf(cron))
  const [expectedUpdatedAt] = useState(cron.updated_at ?? null)
  const [draft, setDraft] = useState<CronDraft>(before)
  const { isBusy, error, fieldError, save } = useSave<Cron>()
  const key = useRef({ patch: '', id: '' })
  const isSound = Object.keys(problemsOf(draft)).length === 0
  const lost = isSound ? lostMetadata(before, draft) : []
  const submit = () => {
    const patch = patchBody(before, draft)
    if (!patch) return onClose()
    if (key.current.patch !== patch) key.current = { patch, id: newRequestKey() }
    void save(() => updateCron({ place, key: key.current.id, expectedUpdatedAt, patch }), onSaved)
  }
  return (
    <CronForm
      place={place}
      views={views}
      savedInput={before.input}
      draft={draft}
      onChange={(change) => setDraft((now) => ({ ...now, ...change }))}
      isEdit
      verb="Save"
      isBusy={isBusy}
      error={error}
      fieldError={fieldError}
      notice={
        lost.length > 0 ? (
          <Notice tone="warn">
            Metadata keys cannot be removed: {lost.join(', ')} will stay. Set a key to null instead.
          </Notice>
        ) : null
      }
      onSubmit={submit}
      onCancel={onClose}
    />
  )
}
