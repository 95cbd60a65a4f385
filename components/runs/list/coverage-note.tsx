import type { ComponentProps } from 'react'
import { GroupedProblems } from '@/components/shared/feedback/grouped-problems'
import { Notice } from '@/components/shared/feedback/notice'
import { ClockTime, RelativeTime } from '@/components/shared/text/relative-time'
import { Spinner } from '@/components/ui/loading'
import { DEPTHS, type Looked } from '@/lib/contracts/agents/run-row'
import { count } from '@/lib/format/format'

type Props = {
  looked: Looked
  isSearch?: boolean
  /** How many threads were searched, and how to search more; left out where that cannot be chosen. */
  depth?: number
  nameOf: (deploymentId: string) => string
  onDepth?: (depth: string) => void
  /** Asks the servers again that failed. */
  onRetry: () => void
  /** Why the whole workspace could not be read is said elsewhere on the page. */
  isReasonAbove?: boolean
}

/** States how far the search for runs started elsewhere went. It is limited, because servers list runs by thread only. */
export function CoverageNote({ looked, isSearch, depth, nameOf, onDepth, onRetry, isReasonAbove }: Props) {
  const { isBusyOnly, isKept, isPartial, isPending, problems } = looked
  const missing = problems.filter(({ keptAt }) => keptAt === undefined)
  const kept = problems.filter(({ keptAt }) => keptAt !== undefined)
  const list = (some: Looked['problems']) =>
    (isReasonAbove ? some.filter(({ deployment }) => deployment !== '') : some).map(
      ({ deployment, message, keptAt }) => ({
        ...{ deployment, message },
        name: deployment && (isBusyOnly || looked.deployments > 1) ? nameOf(deployment) : '',
        detail: keptAt === undefined ? undefined : <KeptFrom at={keptAt} />,
      }),
    )
  // What servers told before says nothing of all that there is now.
  const isUnsure = !looked.traced && (kept.length > 0 || (problems.length > 0 && looked.threads === 0))
  const next =
    depth === undefined || isBusyOnly || !isPartial || looked.traced ? undefined : DEPTHS.find((one) => one > depth)
  return (
    <div className="mt-2 text-ink-3 text-xs">
      {isPending ? (
        <p role="status" className="flex items-center gap-1.5">
          <Spinner />
          Looking for runs started elsewhere…{isKept ? ' Those listed were read before.' : null}
        </p>
      ) : (
        <p>
          {isUnsure ? '' : sentence(looked)}{' '}
          {looked.traced?.since ? (
            <>
              The oldest trace that was checked for this page is from <RelativeTime at={looked.traced.since} />.{' '}
            </>
          ) : null}
          {isSearch ? 'Of a run without recording and trace, only ids and metadata can be searched. ' : null}
          {next ? (
            <button type="button" className="text-accent underline" onClick={() => onDepth?.(String(next))}>
              Check {next} threads
            </button>
          ) : null}
        </p>
      )}
      {problems.length > 0 ? (
        <div className="mt-2">
          <Notice tone="warn" onRetry={onRetry}>
            {missing.length > 0 ? (
              <p>Some runs started elsewhere are missing{list(missing).length > 0 ? ':' : '.'}</p>
            ) : null}
            <Reasons problems={list(missing)} />
            {kept.length > 0 ? <p>Some runs started elsewhere may have changed, and newer ones are missing:</p> : null}
            <Reasons problems={list(kept)} />
          </Notice>
        </div>
      ) : null}
    </div>
  )
}

const Reasons = ({ problems }: ComponentProps<typeof GroupedProblems>) =>
  problems.length > 0 ? (
    <ul className="list-disc pl-4">
      <GroupedProblems problems={problems} />
    </ul>
  ) : null

const KeptFrom = ({ at }: { at: number }) => (
  <>
    Its runs were read at <ClockTime at={at} />.
  </>
)

function sentence({ threads, deployments, isBusyOnly, isPartial, traced }: Looked): string {
  if (traced) {
    const logged = `Includes all runs that ${count(traced.deployments)} ${traced.deployments === 1 ? 'deployment has' : 'deployments have'} logged as traces`
    const more = traced.isPartial ? ' Older ones are on the next pages.' : ''
    if (!isBusyOnly || traced.deployments >= deployments) return `${logged}.${more}`
    return `${logged}, and busy or waiting threads of the others.${more}`
  }
  const of = `${count(threads)} ${threads === 1 ? 'thread' : 'threads'}`
  if (isBusyOnly && threads === 0) return 'No busy or waiting threads. Open a deployment to list more of its runs.'
  if (isBusyOnly)
    return `Includes runs of ${of} busy or waiting now in ${count(deployments)} ${deployments === 1 ? 'deployment' : 'deployments'}. ${isPartial ? 'There are more. ' : ''}Open a deployment to list more of its runs.`
  const where = deployments > 1 ? ` in ${count(deployments)} deployments` : ''
  if (isPartial) return `Includes the newest runs of ${of}${where}: busy, waiting and failed first. There are more.`
  return `Includes all ${of}${where}. Stateless runs started elsewhere can’t be listed.`
}
