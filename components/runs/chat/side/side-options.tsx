'use client'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { ContextOption } from '@/components/runs/start/context-option'
import { RunOptions } from '@/components/runs/start/run-options'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { assistantSchemasQuery, findAssistant, nameOfAssistant, pickableAssistants } from '@/lib/queries/assistants'
import { ContextField, type ContextForm } from '../composer/context-field'
import { rememberedStrategy } from '../composer/multitask'
import { contextOf } from '../use-chat-options'
import type { SideColumn } from './columns'
import type { useSideOptions } from './use-side-options'

type Props = {
  place: DeploymentPlace
  columns: readonly SideColumn[]
  advanced: ReturnType<typeof useSideOptions>
  Context: ContextForm
}

/** What applies to the runs of all assistants, and the context of each. */
export function SideOptions({ place, columns, advanced, Context }: Props) {
  const { shared, issues, change } = advanced
  const id = useId()
  return (
    <section
      aria-label="Advanced"
      className="mx-auto mb-2 max-h-[45dvh] max-w-4xl space-y-5 overflow-y-auto rounded-lg border bg-panel p-3"
    >
      <section aria-labelledby={`${id}each`} className="space-y-2">
        <h3 id={`${id}each`} className="font-semibold text-xs">
          For one assistant
        </h3>
        {columns.map((column, index) => (
          <ColumnContext key={column.key} {...{ place, column, index, advanced, Context }} />
        ))}
      </section>
      <section aria-labelledby={`${id}all`}>
        <h3 id={`${id}all`} className="mb-2 font-semibold text-xs">
          For all {columns.length} assistants
        </h3>
        <RunOptions
          options={{ ...shared, threadKind: 'existing', multitask: rememberedStrategy() ?? shared.multitask }}
          issuesOf={(field) => issues.filter((issue) => issue.field === field)}
          onChange={change}
          isShared
        />
      </section>
    </section>
  )
}

type ColumnProps = Omit<Props, 'columns'> & { column: SideColumn; index: number }

function ColumnContext({ place: { workspace, deploymentId }, column, index, advanced, Context }: ColumnProps) {
  const list = useQuery(pickableAssistants(workspace, deploymentId))
  const found = findAssistant(list.data, column.assistant)
  const assistant = found?.assistant_id ?? column.assistant
  const schemas = useQuery({ ...assistantSchemasQuery(workspace, deploymentId, assistant), retry: false })
  const { contextSchema } = contextOf(schemas.data)
  const value = advanced.contextOf(column.key)
  const onChange = (context: string) => advanced.changeContext(column.key, context)
  return (
    <ContextOption
      title={`Context of column ${index + 1}: ${found ? nameOfAssistant(found) : column.assistant}`}
      value={value}
      issues={advanced.issuesOf(column.key)}
      onChange={onChange}
      form={contextSchema ? <ContextField Form={Context} schema={contextSchema} {...{ value, onChange }} /> : undefined}
    />
  )
}
