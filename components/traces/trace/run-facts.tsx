import { Figure } from '@/components/shared/layout/section-header'
import { IdChip } from '@/components/shared/text/id-chip'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CostText, costOf, costOfRun, estimatesText, hasCost } from '@/components/traces/common/cost'
import { costText, timeText, tokenPartsText } from '@/components/traces/common/format'
import { RunStatus } from '@/components/traces/common/run-badges'
import { Badge } from '@/components/ui/badge'
import type { RunRowStatus } from '@/lib/contracts/agents/run-row'
import { count } from '@/lib/format/format'
import type { Cost, PriceBook } from '@/lib/traces/cost'
import { isModelCall } from '@/lib/traces/light-run'
import { sumsOf, type TreeNode } from '@/lib/traces/tree'

/** Whether a cost was logged; otherwise from which prices it was estimated. */
function originText(cost: Cost, logged: number | null): string {
  if (logged !== null) return logged === cost.total ? 'logged' : `${costText(logged)} of it logged`
  return cost.estimates.length > 0 ? `estimated from ${estimatesText(cost)}` : ''
}

type Props = {
  node: TreeNode
  book: PriceBook | undefined
  /** The status of the agent server's run that it stands for. */
  outcome?: RunRowStatus
  /** It has no end, and nobody says that it still runs. */
  isLost: boolean
}

/** The metadata and metrics of a run; unknown values are omitted. */
export function RunFacts({ node, book, outcome, isLost }: Props) {
  const { run } = node
  const sums = sumsOf(node)
  const hasBelow = node.children.length > 0 && (sums.models > 0 || sums.logged !== null)
  const cost = hasBelow ? costOf(sums.logged, [...sums.calls.values()], book) : costOfRun(run, book)
  const logged = hasBelow ? sums.logged : run.cost === null ? null : Number(run.cost)
  const parts = tokenPartsText(sums)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <RunStatus status={run.status} run={outcome} isLost={isLost} />
      <Figure label="Started">
        <RelativeTime at={run.start} />
      </Figure>
      {run.latency === null ? null : <Figure label="Took">{timeText(run.latency)}</Figure>}
      {run.firstToken === null ? null : <Figure label="First token">{timeText(run.firstToken)}</Figure>}
      {run.model ? (
        <Figure label="Model">
          <code className="truncate font-mono">
            <VisibleText>{run.model}</VisibleText>
          </code>
        </Figure>
      ) : null}
      {run.provider ? (
        <Figure label="Provider">
          <VisibleText>{run.provider}</VisibleText>
        </Figure>
      ) : null}
      {sums.models > 0 && !isModelCall(run.type) ? <Figure label="Model calls">{count(sums.models)}</Figure> : null}
      {/* Other runs only repeat the tokens of the model calls below them, so theirs are the sums. */}
      {sums.tokens === null ? null : (
        <Figure label="Tokens">
          {count(sums.tokens)}
          {run.type === 'llm' && run.tokensIn !== null && run.tokensOut !== null
            ? ` (${count(run.tokensIn)} in, ${count(run.tokensOut)} out)`
            : ''}
        </Figure>
      )}
      {parts === '' ? null : <Figure label="Of these">{parts}</Figure>}
      {hasCost(cost) ? (
        <Figure label="Cost">
          <span>
            <CostText cost={cost} />
            {originText(cost, logged) ? <span className="text-ink-3"> {originText(cost, logged)}</span> : null}
          </span>
        </Figure>
      ) : null}
      <Figure label="Run">
        <IdChip id={run.id} what="run id" />
      </Figure>
      {run.tags.length > 0 ? (
        <span className="flex flex-wrap gap-1">
          {run.tags.map((tag) => (
            <Badge key={tag}>
              <VisibleText>{tag.slice(0, 80)}</VisibleText>
            </Badge>
          ))}
        </span>
      ) : null}
    </div>
  )
}
