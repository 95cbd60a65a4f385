import type { ComponentProps } from 'react'
import { ClockTime } from '../text/relative-time'
import { GroupedProblems } from './grouped-problems'
import { Notice } from './notice'

type Problem = {
  deployment: string
  name: string
  message: string
  /** Its rows are listed as they were read then, in epoch ms. */
  keptAt?: number
}
type Props = {
  /** What is listed, as in “threads”. */
  noun: 'runs' | 'threads'
  /** Which of them, if not all: “runs started elsewhere”. */
  what?: string
  problems: readonly Problem[]
  /** Why the whole workspace could not be read is said elsewhere on the page. */
  isReasonAbove?: boolean
  /** Asks them again. */
  onRetry: () => void
}

/** Which servers could not be read for a list: those without rows, then those whose rows are of an earlier time. */
export function ServerProblems({ noun, what = noun, problems, isReasonAbove, onRetry }: Props) {
  if (problems.length === 0) return null
  const listed = problems
    .filter(({ deployment }) => !(isReasonAbove && deployment === ''))
    .map(({ keptAt, ...problem }) => ({
      ...problem,
      keptAt,
      detail: keptAt === undefined ? undefined : <KeptFrom noun={noun} at={keptAt} />,
    }))
  const missing = listed.filter(({ keptAt }) => keptAt === undefined)
  const kept = listed.filter(({ keptAt }) => keptAt !== undefined)
  return (
    <Notice tone="warn" onRetry={onRetry}>
      {problems.some(({ keptAt }) => keptAt === undefined) ? (
        <p>
          Some {what} are missing{missing.length > 0 ? ':' : '.'}
        </p>
      ) : null}
      <Reasons problems={missing} />
      {kept.length > 0 ? <p>Some {what} may have changed, and newer ones are missing:</p> : null}
      <Reasons problems={kept} />
    </Notice>
  )
}

const Reasons = ({ problems }: ComponentProps<typeof GroupedProblems>) =>
  problems.length > 0 ? (
    <ul className="list-disc pl-4">
      <GroupedProblems problems={problems} />
    </ul>
  ) : null

const KeptFrom = ({ noun, at }: { noun: string; at: number }) => (
  <>
    Its {noun} were read at <ClockTime at={at} />.
  </>
)
