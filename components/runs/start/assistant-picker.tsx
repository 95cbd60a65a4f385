'use client'

import { useQuery } from '@tanstack/react-query'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { findAssistant, isDefault, MOST_PICKABLE, pickableAssistants } from '@/lib/queries/assistants'
import { IssueList } from './issue-list'
import type { StartIssue } from './start-issues'

type Props = {
  workspace: string
  deploymentId: string
  value: string
  onChange: (assistant: string) => void
  issues: readonly StartIssue[]
}

/** Chooses a graph (its default assistant) or a custom assistant. */
export function AssistantPicker({ workspace, deploymentId, value, onChange, issues }: Props) {
  const list = useQuery(pickableAssistants(workspace, deploymentId))
  const all = list.data ?? []
  const graphs = all.filter(isDefault)
  const made = all.filter((one) => !isDefault(one))
  const chosen = findAssistant(all, value)
  return (
    <div className="space-y-1">
      <Field
        id="start-assistant"
        label="Assistant"
        hint={
          chosen
            ? `Graph ${chosen.graph_id}${chosen.version ? `, version ${chosen.version}` : ''}${isDefault(chosen) ? ', default assistant' : ''}`
            : undefined
        }
      >
        <Select
          id="start-assistant"
          value={chosen?.assistant_id ?? value}
          disabled={list.isPending}
          onChange={(event) => onChange(event.target.value)}
          aria-describedby="start-assistant-issues"
          aria-invalid={issues.length > 0 || undefined}
        >
          {list.isPending ? <option value={value}>Loading…</option> : null}
          {!chosen && value !== '' && !list.isPending ? <option value={value}>{value}</option> : null}
          {value === '' ? <option value="">Choose…</option> : null}
          {graphs.length > 0 ? (
            <optgroup label="Graphs (default assistants)">
              {graphs.map((one) => (
                <option key={one.assistant_id} value={one.assistant_id}>
                  {one.graph_id} (default)
                </option>
              ))}
            </optgroup>
          ) : null}
          {made.length > 0 ? (
            <optgroup label="Assistants">
              {made.map((one) => (
                <option key={one.assistant_id} value={one.assistant_id}>
                  {one.name || one.assistant_id} · {one.graph_id}
                </option>
              ))}
            </optgroup>
          ) : null}
        </Select>
      </Field>
      {list.error ? <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} /> : null}
      {all.length === MOST_PICKABLE ? (
        <p className="text-ink-3 text-xs">
          Showing the oldest {MOST_PICKABLE}. To run another, start from the Assistants page.
        </p>
      ) : null}
      <IssueList id="start-assistant-issues" issues={issues} />
    </div>
  )
}
