'use client'
import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import Link from 'next/link'
import { useSave } from '@/components/shared/form/use-save'
import { useReasons } from '@/components/shared/layout/rights'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { continueExperiment } from '@/lib/actions/experiments'
import { deploymentQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { type Experiment, type Pair, revisionName, revisionOf, type Subject } from '@/lib/stream/experiments'

type Props = {
  place: { workspace: string; id: string }
  subject: Subject
  /** Those of the column. */
  pairs: readonly Pair[]
  isRunning: Experiment['isRunning']
  onChange: () => void
}

/** Which revision a column is of, whether its results are earlier ones, and how to run it if it waits. */
export function ColumnRevision({ place, subject, pairs, isRunning, onChange }: Props) {
  const { revision, isPinned, deployment, source } = subject
  if (revision === null) return null
  const results = pairs.flatMap(({ result }) => result ?? [])
  const isInferred = results.some((result) => revisionOf(result, subject)?.isInferred)
  const earlier = results.flatMap(({ isReused, startedAt }) => (isReused && startedAt ? [startedAt] : [])).sort()
  const waits = !isRunning && pairs.some(({ state }) => state === 'waiting' || state === 'failed')
  if (!isPinned)
    return (
      <span className="ml-2 font-normal text-ink-3" title="The revision that served when it was started">
        {isInferred ? '≈ ' : ''}
        {revisionName(revision)}
      </span>
    )
  return (
    <>
      <Link
        className="mt-0.5 block w-fit max-w-full truncate font-normal text-accent hover:underline"
        href={routes.revision(place.workspace, deployment, revision)}
      >
        <VisibleText>{source ?? 'Open revision'}</VisibleText>
      </Link>
      {earlier.length > 0 && earlier.length === results.length ? (
        <span className="mt-0.5 block font-normal text-ink-2">
          Results of <RelativeTime at={earlier.at(-1) ?? ''} />, not run again
        </span>
      ) : null}
      {waits ? <WaitingColumn {...{ place, subject, onChange }} /> : null}
    </>
  )
}

const LOOK_MS = 5_000

/** Says what the column waits for. The server checks again which revision serves before each start. */
function WaitingColumn({ place, subject, onChange }: Pick<Props, 'place' | 'subject' | 'onChange'>) {
  const { workspace } = place
  const { deployment, revision } = subject
  const { data, error } = useQuery({ ...deploymentQuery(workspace, deployment), refetchInterval: LOOK_MS })
  const { runAt } = useReasons()
  const { isBusy, error: refusal, save } = useSave<null>()
  const serving = error || !data ? undefined : (data.active_revision_id ?? null)
  const isServing = serving === revision
  const name = revisionName(revision)
  return (
    <span className="mt-1 flex flex-wrap items-center gap-2 font-normal text-ink-2">
      <span>
        {isServing
          ? `Waiting: ${name} is serving now.`
          : `Runs when ${name} is serving. ${serving === undefined ? (error ? 'Which one serves now is unknown.' : '') : `Now it is ${revisionName(serving)}.`}`}
      </span>
      <Button
        size="sm"
        variant={isServing ? 'primary' : 'secondary'}
        reason={runAt(deployment) ?? (serving === undefined || isServing ? undefined : `Runs when ${name} is serving.`)}
        isBusy={isBusy}
        onClick={() => void save(() => continueExperiment(place), onChange)}
      >
        <Play aria-hidden />
        Run
      </Button>
      {serving === undefined || isServing ? null : (
        <Link className="text-accent hover:underline" href={routes.revision(workspace, deployment, revision ?? '')}>
          Redeploy or roll back
        </Link>
      )}
      {refusal ? (
        <span role="alert" className="basis-full text-error">
          {refusal.message}
        </span>
      ) : null}
    </span>
  )
}
