'use client'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { NameForm } from '@/components/shared/form/name-form'
import { Dialog } from '@/components/ui/dialog'
import type { Result } from '@/lib/errors'
import { MAX_VIEW_NAME, type SavedView } from '@/lib/lists/saved'
import type { SavedViewsProps, ViewTask } from './view-types'

type ViewDialogProps = SavedViewsProps & { task: ViewTask; onClose: () => void }
type Saved = { views: SavedView[]; id?: string }

/** Asks for a view's name, or confirms deleting it. */
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
        Only the saved filters are deleted. The {noun} stay.
      </ConfirmDialog>
    )
  const write = async (name: string): Promise<Result<Saved>> => {
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
      title={task.kind === 'save' ? 'Save view' : 'Rename view'}
      description="Only you can see it until you share it."
    >
      <NameForm
        maxLength={MAX_VIEW_NAME}
        initial={task.kind === 'rename' ? task.view.name : ''}
        write={write}
        onDone={done}
        onCancel={onClose}
      />
    </Dialog>
  )
}
