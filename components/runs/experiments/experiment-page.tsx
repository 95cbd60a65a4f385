'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Play, RotateCcw, Square, Trash2 } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { Notice } from '@/components/shared/feedback/notice'
import { StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { useSave } from '@/components/shared/form/use-save'
import { PageHeader } from '@/components/shared/layout/page-header'
import { usePageTitle } from '@/components/shared/layout/page-title'
import { useOpened } from '@/components/shared/layout/recent'
import { useReasons } from '@/components/shared/layout/rights'
import { LongText } from '@/components/shared/text/long-text'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName, VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { continueExperiment, deleteExperiment, stopExperiment } from '@/lib/actions/experiments'
import { withBasePath } from '@/lib/base-path'
import { count, duration } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { columnNames, type Experiment, inputPreview, type Pair, subjectLabel } from '@/lib/stream/experiments'
import { ColumnRevision } from './column-revision'
import { experimentQuery } from './experiment-query'
import { compareOptions } from './option-facts'
import { OptionList } from './option-list'
import { costText, PairCell } from './pair-cell'

type Props = { workspace: string; id: string }

/** With more inputs, differences are marked on request only: comparing takes milliseconds for each answer. */
const MOST_COMPARED = 20

/** The answers of all assistants, an input per row. */
export function ExperimentPage({ workspace, id }: Props) {
  const query = experimentQuery(workspace, id)
  const reading = useQuery(query)
  const { data, error, refetch } = reading
  const client = useQueryClient()
  const { run: reason } = useReasons()
  const [chosenBase, setBase] = useState<string>()
  const place = { workspace, id }
  useOpened(routes.experiment(workspace, id), 'Experiment', data?.name)
  usePageTitle(data?.name)
  if (!data)
    return error ? (
      <ErrorNotice error={error.view} onRetry={() => void refetch()} />
    ) : (
      <LateSkeleton className="h-64 w-full" />
    )
  const { name, subjects, inputs, pairs, isRunning } = data
  // The first failure counts: what runs may have gone on.
  const stale = staleOf({ ...reading, error: error ?? reading.failureReason })
  const names = columnNames(subjects)
  const options = compareOptions(subjects)
  const base = chosenBase ?? (inputs.length <= MOST_COMPARED ? '0' : '')
  const baseIndex = base === '' ? -1 : Number(base)
  const pairOf = (subject: number, input: number) => pairs.find((one) => one.subject === subject && one.input === input)
  return (
    <>
      <PageHeader
        title={<VisibleName>{name}</VisibleName>}
        meta={<Meta experiment={data} />}
        actions={<Verbs place={place} experiment={data} onChange={() => void refetch()} />}
      />
      {stale ? <StaleNotice {...stale} onRetry={() => void refetch()} /> : null}
      <NotStarted experiment={data} />
      {options.same.length > 0 ? (
        <section className="mb-3 rounded-lg border bg-panel px-3 py-2">
          <h2 className="font-medium text-xs">{subjects.length > 1 ? 'Options of all columns' : 'Options'}</h2>
          <OptionList label="Options of all columns" facts={options.same} />
        </section>
      ) : null}
      {subjects.length > 1 ? (
        <div className="mb-3 flex w-fit max-w-full items-center gap-2 text-ink-2 text-xs">
          <label htmlFor="differences-from" className="shrink-0">
            Differences from
          </label>
          <Select
            id="differences-from"
            className="w-auto min-w-0"
            value={base}
            onChange={({ target }) => setBase(target.value)}
          >
            <option value="">none</option>
            {names.map((one, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order of the columns is their identity
              <option key={index} value={index}>
                {one}
              </option>
            ))}
          </Select>
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section tabIndex={0} aria-label="Results" className="overflow-x-auto rounded-lg border bg-panel">
        {/* On small screens, a card per input: side by side, the answers would be too narrow or off the screen. */}
        <table className="w-full border-collapse text-left align-top max-md:block">
          <thead className="max-md:block">
            <tr className="border-b bg-sunken text-xs max-md:flex max-md:flex-col">
              <th scope="col" className="w-56 min-w-40 px-3 py-2 align-top font-medium text-ink-3 max-md:sr-only">
                Input
              </th>
              {subjects.map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the order of the columns is their identity
                <th key={index} scope="col" className="px-3 py-2 align-top font-medium text-ink md:min-w-72">
                  <VisibleText>{names[index] ?? ''}</VisibleText>
                  {one.title ? (
                    <span className="ml-2 font-normal text-ink-2">
                      <VisibleText>{subjectLabel(one)}</VisibleText>
                    </span>
                  ) : null}
                  <ColumnRevision
                    place={place}
                    subject={one}
                    pairs={pairs.filter(({ subject }) => subject === index)}
                    isRunning={isRunning}
                    onChange={() => void refetch()}
                  />
                  <Summary
                    pairs={pairs.filter(({ subject }) => subject === index)}
                    hasChecks={data.checks.length > 0}
                  />
                  <OptionList label="Options that differ" facts={options.columns[index] ?? []} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="max-md:block">
            {inputs.map((input, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order of the inputs is their identity
              <tr key={row} className="border-b last:border-b-0 max-md:block max-md:border-b-4">
                <th
                  scope="row"
                  className="whitespace-pre-wrap break-words px-3 py-2 align-top font-normal text-sm max-md:block max-md:bg-sunken/60"
                >
                  <LongText text={inputPreview(input)} limit={400} />
                  <CompareLink workspace={workspace} pairs={pairs.filter((one) => one.input === row)} />
                </th>
                {subjects.map((subject, column) => {
                  const pair = pairOf(column, row)
                  const from = baseIndex >= 0 && baseIndex !== column ? pairOf(baseIndex, row)?.result?.output : ''
                  return (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the order of the columns is their identity
                    <td key={column} className="px-3 py-2 align-top max-md:block max-md:border-t md:border-l">
                      <p className="mb-1.5 truncate font-medium text-xs md:hidden" aria-hidden>
                        <VisibleText>{names[column] ?? ''}</VisibleText>
                      </p>
                      {pair ? (
                        <PairCell
                          place={place}
                          pair={pair}
                          subject={subject}
                          base={from ? { name: names[baseIndex] ?? '', output: from } : undefined}
                          isRunning={isRunning}
                          reason={reason}
                          onRated={() => void client.invalidateQueries({ queryKey: query.queryKey })}
                        />
                      ) : null}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

/** The first two runs side by side, step by step. */
function CompareLink({ workspace, pairs }: { workspace: string; pairs: readonly Pair[] }) {
  const [a, b] = pairs.flatMap(({ recording }) => recording ?? [])
  if (!a || !b) return null
  return (
    <Link className="text-accent text-xs hover:underline" href={routes.compareRuns(workspace, a, b)}>
      Compare steps
    </Link>
  )
}

function Meta({ experiment: { createdBy, createdAt, pairs } }: { experiment: Experiment }) {
  const done = pairs.filter(({ state }) => state === 'ended').length
  return (
    <>
      <span>
        {count(done)} of {count(pairs.length)} runs done
      </span>
      <span>
        <RelativeTime at={createdAt} /> by {createdBy}
      </span>
    </>
  )
}

/** What passed, and what it took. Only runs that ended count. */
function Summary({ pairs, hasChecks }: { pairs: readonly Pair[]; hasChecks: boolean }) {
  const ended = pairs.flatMap(({ result, checks }) => (result ? [{ result, checks }] : []))
  if (ended.length === 0) return null
  const passed = ended.filter(({ checks }) => checks.every(({ isPassed }) => isPassed)).length
  const times = ended.flatMap(({ result }) => result.latencyMs ?? []).sort((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)]
  const costs = ended.flatMap(({ result }) => (result.cost === null ? [] : [result.cost]))
  const isEstimated = ended.some(({ result }) => result.isEstimated)
  return (
    <span className="mt-0.5 flex flex-wrap gap-x-3 font-normal text-ink-3 tabular-nums">
      {hasChecks ? <span>{`${count(passed)} of ${count(ended.length)} passed`}</span> : null}
      {median === undefined ? null : <span title="Median duration">{duration(median)}</span>}
      {costs.length === ended.length ? (
        <span title="Cost of all its runs">
          {costText(
            costs.reduce((sum, one) => sum + one, 0),
            isEstimated,
          )}
        </span>
      ) : null}
    </span>
  )
}

/** Waiting pairs that `Start the rest` starts. Those of a pinned revision have a button of their own in their column. */
const restOf = ({ subjects, pairs }: Experiment) =>
  pairs.filter(({ state, subject }) => state === 'waiting' && !subjects[subject]?.isPinned)

function NotStarted({ experiment }: { experiment: Experiment }) {
  const { pairs, isRunning, isStopped } = experiment
  const left = restOf(experiment).length
  const failed = pairs.filter(({ state }) => state === 'failed').length
  if (isRunning || left + failed === 0) return null
  const runs = (number: number) => `${count(number)} ${number === 1 ? 'run was' : 'runs were'}`
  return (
    <div className="mb-3">
      <Notice tone="warn">
        {left > 0 ? `${runs(left)} not started: the experiment was ${isStopped ? 'stopped' : 'interrupted'}. ` : ''}
        {failed > 0 ? `${runs(failed)} refused. ` : ''}
        Choose “Start the rest” to try again.
      </Notice>
    </div>
  )
}

type VerbsProps = { place: { workspace: string; id: string }; experiment: Experiment; onChange: () => void }

function Verbs({ place, experiment, onChange }: VerbsProps) {
  const { workspace, id } = place
  const { isRunning, pairs } = experiment
  const { run: reason } = useReasons()
  const router = useRouter()
  const { isBusy, error, save } = useSave<null>()
  const [isDeleting, setDeleting] = useState(false)
  const hasRest = !isRunning && (restOf(experiment).length > 0 || pairs.some(({ state }) => state === 'failed'))
  return (
    <>
      {isRunning ? (
        <Button reason={reason} isBusy={isBusy} onClick={() => void save(() => stopExperiment(place), onChange)}>
          <Square aria-hidden />
          Stop
        </Button>
      ) : null}
      {hasRest ? (
        <Button
          variant="primary"
          reason={reason}
          isBusy={isBusy}
          onClick={() => void save(() => continueExperiment(place), onChange)}
        >
          <Play aria-hidden />
          Start the rest
        </Button>
      ) : null}
      <Button asChild>
        <Link href={routes.newExperiment(workspace, { again: id })}>
          <RotateCcw aria-hidden />
          Run again
        </Link>
      </Button>
      {(['csv', 'jsonl'] as const).map((format) => (
        <Button key={format} asChild>
          {/* a download, not a page */}
          <a href={withBasePath(routes.experimentFile(workspace, id, format))} download>
            <Download aria-hidden />
            {format === 'csv' ? 'CSV' : 'JSONL'}
          </a>
        </Button>
      ))}
      <Button
        variant="ghost"
        size="icon"
        aria-label="Delete experiment"
        reason={reason}
        onClick={() => setDeleting(true)}
      >
        <Trash2 aria-hidden />
      </Button>
      <ConfirmDialog
        open={isDeleting}
        onOpenChange={setDeleting}
        title="Delete this experiment?"
        verb="Delete experiment"
        action={() => deleteExperiment(place)}
        onDone={() => router.push(routes.experiments(workspace))}
      >
        Its results, ratings and notes are lost. The recorded runs stay.
      </ConfirmDialog>
      {error ? (
        <p role="alert" className="text-error text-xs">
          {error.message}
        </p>
      ) : null}
    </>
  )
}
