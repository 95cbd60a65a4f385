'use client'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { Pager } from '@/components/shared/list/pager'
import { SearchBox } from '@/components/shared/list/search-box'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { columnNames, EXPERIMENTS_PAGE, type ExperimentSummary } from '@/lib/stream/experiments'

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
      const labels = columnNames(subjects).join(', ')
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

type Props = {
  workspace: string
  /** A page, and one more row if there are more. */
  rows: readonly ExperimentSummary[]
  offset: number
  search: string
}

/** The saved experiments, the newest first. */
export function ExperimentsList({ workspace, rows, offset, search }: Props) {
  const set = useSetSearch()
  const shown = rows.slice(0, EXPERIMENTS_PAGE)
  const isAlone = offset === 0 && search === ''
  return (
    <>
      {isAlone && rows.length === 0 ? null : (
        <div className="mb-3">
          <SearchBox label="Search names" value={search} onChange={(q) => set({ q })} />
        </div>
      )}
      <DataTable
        label="Experiments"
        columns={COLUMNS}
        rows={shown}
        rowKey={({ id }) => id}
        rowHref={({ id }) => routes.experiment(workspace, id)}
        empty={
          isAlone ? (
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
          ) : (
            <EmptyState
              title="No experiments found"
              action={<Button onClick={() => set({ q: '', offset: '' })}>Show all</Button>}
            >
              {search === '' ? 'There are no more.' : 'No name contains this text.'}
            </EmptyState>
          )
        }
      />
      <Pager
        offset={offset}
        size={EXPERIMENTS_PAGE}
        shown={shown.length}
        total={rows.length > EXPERIMENTS_PAGE ? undefined : offset + shown.length}
        onMove={(to) => set({ offset: to })}
      />
    </>
  )
}
