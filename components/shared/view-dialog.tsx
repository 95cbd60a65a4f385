'use client'
import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import type { Settled } from '@/lib/errors'
import { MAX_VIEW_NAME, type SavedView } from '@/lib/saved-views'
import { ConfirmDialog } from './confirm-dialog'
import { ErrorNotice } from './error-notice'
import { useSave } from './use-save'
import type { SavedViewsProps, ViewTask } from './view-types'

type ViewDialogProps = SavedViewsProps & { task: ViewTask; onClose: () => void }
type Saved = { views: SavedView[]; id?: string }

/** Asks for a view's name, or whether to delete it. */
export function ViewDialog({ noun, actions, query, current, task, onViews, onOpen, onClose }: ViewDialogProps) {
  if (task.kind === 'delete')
    return (
      <ConfirmDialog
        open
        title={`Delete the view “${task.view.name}”?`}
        verb="Delete view"
        onOpenChange={onClose}
        action={async () => {
          const result = await actions.remove({ id: task.view.id })
          if (result.ok) onViews(result.data)
          return result
        }}
        onDone={() => {
          if (current?.id === task.view.id) onOpen(undefined)
        }}
      >
        Its filters are forgotten. None of the {noun} is changed.
      </ConfirmDialog>
    )
  const write = async (name: string): Promise<Settled<Saved>> => {
    if (task.kind === 'save') return await actions.save({ name, query })
    const result = await actions.update({ id: task.view.id, name })
    return result.ok ? { ok: true, data: { views: result.data } } : result
  }
  const done = ({ views, id }: Saved) => {
    onViews(views)
    const added = views.find((view) => view.id === id)
    if (added) onOpen(added)
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={task.kind === 'save' ? 'Save as a view' : 'Rename the view'}
      description="Views are your own: others in this workspace do not see them."
    >
      <NameForm initial={task.kind === 'rename' ? task.view.name : ''} write={write} onDone={done} onCancel={onClose} />
    </Dialog>
  )
}

type NameFormProps = {
  initial: string
  write: (name: string) => Promise<Settled<Saved>>
  onDone: (saved: Saved) => void
  onCancel: () => void
}

function NameForm({ initial, write, onDone, onCancel }: NameFormProps) {
  const [name, setName] = useState(initial)
  const { isBusy, error, fieldError, save } = useSave<Saved>()
  const refused = fieldError('name')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save(() => write(name), onDone)
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <Field id="view-name" label="Name" error={refused}>
        <Input
          id="view-name"
          autoFocus
          autoComplete="off"
          maxLength={MAX_VIEW_NAME}
          value={name}
          onChange={(event) => setName(event.target.value)}
          {...describedBy('view-name', refused)}
        />
      </Field>
      {error && !refused ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!name.trim()}>
          Save
        </Button>
      </div>
    </form>
  )
}
