'use client'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { NameForm } from '@/components/shared/form/name-form'
import { Dialog } from '@/components/ui/dialog'
import { deleteTemplate, saveTemplate, type TemplatesSaved, updateTemplate } from '@/lib/actions/templates'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { MAX_TEMPLATE_NAME, type RunTemplate } from '@/lib/lists/saved'

/** Why the template dialog is open. */
export type TemplateTask = { kind: 'save' } | { kind: 'rename' | 'delete'; template: RunTemplate }

type Props = {
  task: TemplateTask
  place: DeploymentPlace
  body: string
  onSaved: (saved: TemplatesSaved, isNew: boolean) => void
  onDeleted: (templates: RunTemplate[]) => void
  onClose: () => void
}

/** Asks for a template's name, or confirms deleting it. */
export function TemplateDialog({ task, place, body, onSaved, onDeleted, onClose }: Props) {
  if (task.kind === 'delete')
    return (
      <ConfirmDialog
        open
        title={`Delete template “${task.template.name}”?`}
        verb="Delete template"
        onOpenChange={onClose}
        action={async () => {
          const result = await deleteTemplate({ ...place, id: task.template.id })
          if (result.ok) onDeleted(result.data)
          return result
        }}
        onDone={onClose}
      >
        The form is not changed.
      </ConfirmDialog>
    )
  const isNew = task.kind === 'save'
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={isNew ? 'Save as template' : 'Rename template'}
      description={
        isNew
          ? 'Saves assistant, input, context and options, without the thread and secret values. Only you can see your templates.'
          : 'Only you can see your templates.'
      }
    >
      <NameForm
        maxLength={MAX_TEMPLATE_NAME}
        initial={isNew ? '' : task.template.name}
        write={(name) =>
          isNew ? saveTemplate({ ...place, name, body }) : updateTemplate({ ...place, id: task.template.id, name })
        }
        onDone={(saved) => {
          onSaved(saved, isNew)
          onClose()
        }}
        onCancel={onClose}
      />
    </Dialog>
  )
}
