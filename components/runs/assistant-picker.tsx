'use client'

import { useQuery } from '@tanstack/react-query'
import { ErrorNotice } from '@/components/shared/error-notice'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import type { Assistant } from '@/lib/contracts/assistants'
import { assistantsQuery } from '@/lib/queries/assistants'
import { IssueList } from './issue-list'
import type { StartIssue } from './start-issues'

const MOST = 200
export const pickableAssistants = (workspace: string, deployment: string) =>
  assistantsQuery(workspace, deployment, { limit: MOST, sort_by: 'name', sort_order: 'asc' })

/** The assistant that the server made for each graph by itself. */
export const isDefault = (assistant: Pick<Assistant, 'metadata'>): boolean => assistant.metadata.created_by === 'system'

/** An assistant by its id, or the default one of a graph by the graph's name. */
export const findAssistant = (assistants: readonly Assistant[] | undefined, idOrGraph: string): Assistant | undefined =>
  assistants?.find((one) => one.assistant_id === idOrGraph) ?? assistants?.find((one) => one.graph_id === idOrGraph && isDefault(one))

type Props = { workspace: string; deployment: string; value: string; onChange: (assistant: string) => void; issues: readonly StartIssue[] }

/** What to run: a graph (by the default assistant that each has), or an assistant that somebody made. */
export function AssistantPicker({ workspace, deployment, value, onChange, issues }: Props) {
  const list = useQuery(pickableAssistants(workspace, deployment))
  const all = list.data ?? []
  const graphs = all.filter(isDefault)
  const made = all.filter((one) => !isDefault(one))
  const chosen = findAssistant(all, value)
  return (
    <div className="space-y-1">
      <Field
        id="start-assistant"
        label="Assistant"
        hint={chosen ? `Graph ${chosen.graph_id}${chosen.version ? `, version ${chosen.version}` : ''}${isDefault(chosen) ? ', its default assistant' : ''}` : undefined}
      >
        <Select id="start-assistant" value={chosen?.assistant_id ?? value} disabled={list.isPending} onChange={(event) => onChange(event.target.value)} aria-describedby="start-assistant-issues">
          {list.isPending ? <option value={value}>Loading…</option> : null}
          {!chosen && value !== '' && !list.isPending ? <option value={value}>{value}</option> : null}
          {value === '' ? <option value="">Choose…</option> : null}
          {graphs.length > 0 ? (
            <optgroup label="Graphs, with their default assistants">
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
      {all.length === MOST ? <p className="text-ink-3 text-xs">The first {MOST} by name. Start from the list of assistants to run another.</p> : null}
      <IssueList id="start-assistant-issues" issues={issues} />
    </div>
  )
}
