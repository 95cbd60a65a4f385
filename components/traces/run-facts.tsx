import { IdChip } from '@/components/shared/id-chip'
import { RelativeTime } from '@/components/shared/relative-time'
import { Figure } from '@/components/shared/section-header'
import { VisibleText } from '@/components/shared/visible-text'
import { Badge } from '@/components/ui/badge'
import { count } from '@/lib/format'
import type { LightRun } from '@/lib/traces/light-run'
import { costText, timeText } from './format'
import { RunStatus } from './run-status'

/** What a run was and took; what nobody knows is left out. */
export function RunFacts({ run }: { run: LightRun }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <RunStatus status={run.status} />
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
      {/* What others say of tokens is a copy of what is below them. */}
      {run.tokens === null || run.type !== 'llm' ? null : (
        <Figure label="Tokens">
          {count(run.tokens)}
          {run.tokensIn !== null && run.tokensOut !== null
            ? ` (${count(run.tokensIn)} in, ${count(run.tokensOut)} out)`
            : ''}
        </Figure>
      )}
      {run.cost === null ? null : <Figure label="Cost">{costText(run.cost)}</Figure>}
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
