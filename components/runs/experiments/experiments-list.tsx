'use client'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { type ExperimentSummary, subjectLabel } from '@/lib/stream/experiments'

const COLUMNS: Column<ExperimentSummary>[] = [
  {
    id: 'name',
    header: 'Experiment',
    className: 'w-full max-w-0',
    cell: ({ name }) => (
      <span title={name}>
        <VisibleText>{name}</VisibleText>
      </span>
    ),
  },
  {
    id: 'subjects',
    header: 'Assistants',
    from: 'md',
    cell: ({ subjects }) => {
      const labels = subjects.map(subjectLabel).join(', ')
      return (
        <span title={labels}>
          <VisibleText>{labels}</VisibleText>
        </span>
      )
    },
  },
  { id: 'inputs', header: 'Inputs', from: 'sm', cell: ({ inputs }) => count(inputs) },
  { id: 'done', header: 'Runs done', cell: ({ done, total }) => `${count(done)} of ${count(total)}` },
  { id: 'by', header: 'By', from: 'lg', cell: ({ createdBy }) => createdBy },
  {
    id: 'at',
    header: 'Started',
    from: 'sm',
    className: 'w-32 text-ink-2',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
]

export const ExperimentsList = ({ workspace, rows }: { workspace: string; rows: readonly ExperimentSummary[] }) => (
  <>
    <DataTable
      label="Experiments"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      rowHref={({ id }) => routes.experiment(workspace, id)}
      empty={
        <EmptyState
          title="No experiments yet"
          action={
            <Button asChild>
              <Link href={routes.newExperiment(workspace)}>New experiment</Link>
            </Button>
          }
        >
          Compare assistants, versions or deployments on the same inputs.
        </EmptyState>
      }
    />
    {rows.length >= 100 ? <p className="mt-2 text-ink-3 text-xs">The newest 100.</p> : null}
  </>
)
