import { AlertTriangle, ChevronRight, XCircle } from 'lucide-react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CostText, hasCost } from '@/components/traces/common/cost'
import { amountText, modelCallsText, NONE, timeText } from '@/components/traces/common/format'
import { STATUS_LABELS } from '@/components/traces/common/list-query'
import { TypeMark } from '@/components/traces/common/run-badges'
import { Spinner } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import { entryOf } from '@/lib/json/guards'
import type { Cost } from '@/lib/traces/cost'
import { isModelCall, type LightRun } from '@/lib/traces/light-run'
import type { TreeRow as Row, TreeFlag } from '@/lib/traces/tree'

export const ROW_HEIGHT = 28
/** Deeper levels show their depth as a number instead of more indentation. */
const MAX_INDENT = 10
const INDENT = 11

type Props = {
  id: string
  row: Row
  top: number
  isSelected: boolean
  flags: readonly TreeFlag[]
  /** None of the trace's runs is still running. */
  isOver: boolean
  /** Start and end of the trace. */
  start: number
  end: number
  cost: Cost
  onSelect: () => void
  onToggle: () => void
}

/** One run of a trace: its place in the tree, its metrics and a bar on the timeline. */
export function TreeRow(props: Props) {
  const { id, row, top, isSelected, flags, isOver, start, end, cost, onSelect, onToggle } = props
  const { node, depth, errors, sums, hasChildren, isOpen, isFound } = row
  const { run } = node
  const tokens = sums ? sums.tokens : isModelCall(run.type) ? run.tokens : null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names this row as the active one
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={hasChildren ? isOpen : undefined}
      aria-selected={isSelected}
      aria-label={labelOf(run, { flags, errors, isOver })}
      className={cn(
        'absolute inset-x-0 flex cursor-pointer items-center gap-2 pr-3 pl-1.5 text-xs',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
      style={{ top, height: ROW_HEIGHT }}
      onClick={onSelect}
    >
      <span
        className="flex min-w-0 flex-1 items-center gap-1.5 lg:w-[46%] lg:flex-none"
        style={{ paddingLeft: Math.min(depth, MAX_INDENT) * INDENT }}
      >
        {hasChildren ? (
          // For pointer users; the tree handles the keys.
          <button
            type="button"
            tabIndex={-1}
            aria-hidden
            className="flex size-4 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:text-ink"
            onClick={(event) => {
              event.stopPropagation()
              onToggle()
            }}
          >
            <ChevronRight className={cn('size-3.5', isOpen && 'rotate-90')} />
          </button>
        ) : (
          <span className="size-4 shrink-0" />
        )}
        {depth > MAX_INDENT ? <span className="shrink-0 text-2xs text-ink-3 tabular-nums">{depth}</span> : null}
        <TypeMark type={run.type} />
        <span className={cn('truncate text-ink', isFound && 'font-semibold underline')} title={run.name}>
          <VisibleText>{run.name || 'without a name'}</VisibleText>
        </span>
        {run.status === 'pending' && !isOver ? <Spinner className="size-3 shrink-0" /> : null}
        {run.status === 'error' ? <XCircle aria-hidden className="size-3.5 shrink-0 text-error" /> : null}
        {flags.length > 0 ? <AlertTriangle aria-hidden className="size-3.5 shrink-0 text-warn" /> : null}
        {errors > 0 && !isOpen ? <span className="shrink-0 text-error tabular-nums">{errors} failed</span> : null}
        {run.model ? (
          <span className="ml-1 truncate font-mono text-2xs text-ink-3 max-sm:hidden">
            <VisibleText>{run.model}</VisibleText>
          </span>
        ) : null}
      </span>
      <span className="w-16 shrink-0 text-right text-ink-2 tabular-nums">{timeText(run.latency)}</span>
      <span
        className="w-14 shrink-0 text-right text-ink-3 tabular-nums max-sm:hidden"
        title={sums && sums.models > 0 ? `Sum of ${modelCallsText(sums.models)}` : undefined}
      >
        {tokens ? amountText(tokens) : ''}
      </span>
      <span className="w-20 shrink-0 truncate text-right text-ink-3 tabular-nums max-xl:hidden">
        {hasCost(cost) ? <CostText cost={cost} isShort /> : ''}
      </span>
      <Bar {...{ run, isOver, start, end }} />
    </div>
  )
}

/** The run's bar on the timeline, with a mark at its first token. */
function Bar({ run, isOver, start, end }: { run: LightRun; isOver: boolean; start: number; end: number }) {
  const length = Math.max(end - start, 0.001)
  if (run.start === null) return <span className="flex-1 max-lg:hidden" />
  const share = (ms: number) => `${Math.max(0, Math.min(100, (ms / length) * 100)).toFixed(3)}%`
  const until = Math.max(run.end ?? end, run.start)
  return (
    <span aria-hidden className="relative h-full flex-1 max-lg:hidden">
      <span
        className={cn(
          'absolute top-1/2 h-2 min-w-[3px] -translate-y-1/2 rounded-sm',
          run.status === 'error' ? 'bg-error' : run.status === 'pending' ? openTone(isOver) : barTone(run.type),
        )}
        style={{ left: share(run.start - start), width: share(until - run.start) }}
      />
      {run.firstToken !== null ? (
        <span
          className="absolute top-1/2 h-3.5 w-0.5 -translate-y-1/2 bg-ink"
          style={{ left: share(run.start - start + run.firstToken) }}
        />
      ) : null}
    </span>
  )
}

/** Of a run without an end. */
const openTone = (isOver: boolean) => (isOver ? 'border border-line-strong border-dashed' : 'bg-progress')

const barTone = (type: string): string =>
  type === 'llm' ? 'bg-accent' : type === 'tool' ? 'bg-ink-3' : 'bg-line-strong'

type Told = { flags: readonly TreeFlag[]; errors: number; isOver: boolean }

function labelOf(run: LightRun, { flags, errors, isOver }: Told): string {
  const isPlain = run.status === 'success' || (run.status === 'pending' && isOver) // a flag says it
  const status = isPlain ? undefined : (entryOf(STATUS_LABELS, run.status) ?? run.status)
  const below = errors > 0 ? `${errors} failed below` : undefined
  const took = timeText(run.latency)
  const parts = [run.name || 'without a name', run.type, status, took === NONE ? undefined : took, below]
  return [...parts, ...flags.map(({ text }) => text)].filter(Boolean).join(', ')
}
