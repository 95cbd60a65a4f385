'use client'
import { type ReactNode, useId } from 'react'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { IssueList } from './issue-list'
import type { StartIssue } from './start-issues'

type Props = {
  /** What it is the context of, if there are several. */
  title?: ReactNode
  /** JSON text; empty for none. */
  value: string
  issues: readonly StartIssue[]
  onChange: (context: string) => void
  /** A form in place of the JSON field. */
  form?: ReactNode
}

/** The context that a run gets in addition to its assistant's. */
export function ContextOption({ title = 'Context for this run', value, issues, onChange, form }: Props) {
  const id = useId()
  return (
    <details open={value !== '' || issues.length > 0 || undefined}>
      <summary className="font-medium text-xs">{title}</summary>
      <p className="mt-1 mb-1.5 text-ink-3 text-xs">
        Overrides the assistant’s context. Leave empty to use the assistant’s context.
      </p>
      {form ?? (
        <JsonEditor
          label="Context as JSON"
          value={value}
          onChange={onChange}
          describedBy={id}
          isInvalid={issues.length > 0}
          minHeight={90}
          maxHeight={260}
        />
      )}
      <IssueList id={id} issues={issues} />
    </details>
  )
}
