'use client'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { ContextField, type ContextForm } from '@/components/runs/chat/composer/context-field'
import { contextOf } from '@/components/runs/chat/use-chat-options'
import { ContextOption } from '@/components/runs/start/context-option'
import { MoreOptionsFields } from '@/components/runs/start/more-options-fields'
import type { StartField, StartIssue } from '@/components/runs/start/start-issues'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { assistantSchemasQuery } from '@/lib/queries/assistants'
import { MAX_NAME } from '@/lib/stream/experiments'
import type { SubjectDraft } from './draft'

type Props = {
  workspace: string
  label: string
  /** Its id; empty until it is known. */
  assistant: string
  value: SubjectDraft
  Context: ContextForm
  issues: readonly StartIssue[]
  onChange: (change: Partial<SubjectDraft>) => void
}

/** The name of a column, and how its runs are configured. */
export function SubjectOptions({ workspace, label, assistant, value, Context, issues, onChange }: Props) {
  const id = useId()
  const schemas = useQuery({
    ...assistantSchemasQuery(workspace, value.deployment, assistant),
    enabled: assistant !== '',
    retry: false,
  })
  const { contextSchema } = contextOf(schemas.data)
  const issuesOf = (field: StartField) => issues.filter((issue) => issue.field === field)
  return (
    <section aria-label={`${label}: options`} className="w-full space-y-4 rounded-lg border bg-sunken/40 p-3">
      <Field id={id} label="Column name" hint="Shown above its answers. Without one, its assistant’s name.">
        <Input
          id={id}
          className="max-w-80"
          maxLength={MAX_NAME}
          value={value.title}
          onChange={({ target }) => onChange({ title: target.value })}
        />
      </Field>
      <ContextOption
        value={value.context}
        issues={issuesOf('context')}
        onChange={(context) => onChange({ context })}
        form={
          contextSchema ? (
            <ContextField
              Form={Context}
              schema={contextSchema}
              value={value.context}
              onChange={(context) => onChange({ context })}
            />
          ) : undefined
        }
      />
      <MoreOptionsFields
        more={value.more}
        issues={issuesOf('more')}
        onChange={(more) => onChange({ more })}
        hasWebhook={false}
      />
    </section>
  )
}
