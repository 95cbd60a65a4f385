'use client'
import { type FormEvent, useState } from 'react'
import { ConfirmDialog } from '@/components/shared/confirm-dialog'
import { ErrorNotice } from '@/components/shared/error-notice'
import { useSave } from '@/components/shared/use-save'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { deleteTemplate, saveTemplate, type TemplatesSaved, updateTemplate } from '@/lib/actions/templates'
import { MAX_TEMPLATE_NAME, type RunTemplate } from '@/lib/run-templates'
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

type NameFormProps = {
  initial: string
  write: (name: string) => ReturnType<typeof saveTemplate>
  onDone: (saved: TemplatesSaved) => void
  onCancel: () => void
}

function NameForm({ initial, write, onDone, onCancel }: NameFormProps) {
  const [name, setName] = useState(initial)
  const { isBusy, error, fieldError, save } = useSave<TemplatesSaved>()
  const refused = fieldError('name')
  // What is wrong with the request itself has no field in this dialog.
  const other = ['context', 'input', 'body']
    .map((field) => [field, fieldError(field)] as const)
    .find(([, text]) => text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save(() => write(name), onDone)
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <Field id="template-name" label="Name" error={refused}>
        <Input
          id="template-name"
          autoFocus
          autoComplete="off"
          maxLength={MAX_TEMPLATE_NAME}
          value={name}
          onChange={(event) => setName(event.target.value)}
          {...describedBy('template-name', refused)}
        />
      </Field>
      {other ? (
        <p role="alert" className="text-error text-sm">
          {other[0] === 'body' ? '' : `The ${other[0]}: `}
          {other[1]}
        </p>
      ) : error && !refused ? (
        <ErrorNotice error={error} />
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!name.trim()}>
          Save
        </Button>
      </div>
    </form>
  )
}
