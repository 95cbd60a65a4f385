'use client'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { NameForm } from '@/components/shared/form/name-form'
import { Dialog } from '@/components/ui/dialog'
import { deleteTemplate, saveTemplate, type TemplatesSaved, updateTemplate } from '@/lib/actions/templates'
import { MAX_TEMPLATE_NAME, type RunTemplate } from '@/lib/lists/run-templates'
import type { TemplateTask } from './template-task'

type Props = {
  task: TemplateTask
  place: { workspace: string; deployment: string }
  body: string
  onSaved: (saved: TemplatesSaved, isNew: boolean) => void
  onDeleted: (templates: RunTemplate[]) => void
  onClose: () => void
}

/** Asks for a template's name, or whether to delete it. */
export function TemplateDialog({ task, place, body, onSaved, onDeleted, onClose }: Props) {
  if (task.kind === 'delete')
    return (
      <ConfirmDialog
        open
        title={`Delete the template “${task.template.name}”?`}
        verb="Delete template"
        onOpenChange={onClose}
        action={async () => {
          const result = await deleteTemplate({ ...place, id: task.template.id })
          if (result.ok) onDeleted(result.data)
          return result
        }}
        onDone={onClose}
      >
        What is in the form stays.
      </ConfirmDialog>
    )
  const isNew = task.kind === 'save'
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={isNew ? 'Save as a template' : 'Rename the template'}
      description={
        isNew
          ? 'Keeps assistant, input, context and options; not the thread, and no values of keys that name secrets. Templates are your own.'
          : 'Templates are your own: others do not see them.'
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
