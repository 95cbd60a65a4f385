import { ServerProblems } from '@/components/shared/feedback/server-problems'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Spinner } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import { DEPTHS, type Looked } from '@/lib/contracts/agents/run-row'
import { count } from '@/lib/format/format'

type Props = {
  looked: Looked
  isSearch?: boolean
  /** How many threads were searched, and how to search more; left out where that cannot be chosen. */
  depth?: number
  onDepth?: (depth: string) => void
}

/** States how far the search for runs started elsewhere went. It is limited, because servers list runs by thread only. */
export function CoverageNote({ looked, isSearch, depth, onDepth }: Props) {
  const { isBusyOnly, isKept, isPartial, isPending, problems } = looked
  // What servers told before says nothing of all that there is now.
  const isUnsure =
    !looked.traced &&
    (problems.some(({ keptAt }) => keptAt !== undefined) || (problems.length > 0 && looked.threads === 0))
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
    </div>
  )
}

type UnreadProps = {
  looked: Looked
  nameOf: (deploymentId: string) => string
  /** Asks the servers again that failed. */
  onRetry: () => void
  /** Why the whole workspace could not be read is said elsewhere on the page. */
  isReasonAbove?: boolean
  className?: string
}

/** The servers whose runs could not be read. */
export function UnreadServers({ looked, nameOf, onRetry, isReasonAbove, className }: UnreadProps) {
  const { problems, isBusyOnly, deployments } = looked
  if (problems.length === 0) return null
  return (
    <div className={cn('text-xs', className)}>
      <ServerProblems
        noun="runs"
        what="runs started elsewhere"
        onRetry={onRetry}
        problems={problems.map((one) => ({
          ...one,
          name: one.deployment && (isBusyOnly || deployments > 1) ? nameOf(one.deployment) : '',
        }))}
        isReasonAbove={isReasonAbove}
      />
    </div>
  )
}

function sentence({ threads, deployments, isBusyOnly, isPartial, traced }: Looked): string {
  if (deployments === 0) return 'No deployment has an agent server yet.'
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
