import Link from 'next/link'
import { useContext } from 'react'
import { RunPlace } from '@/components/runs/view/run-place'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { count, duration } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import type { ModelCall } from './model-calls'
import { STEP_ROW_HEIGHT } from './step-row'

type Props = { id: string; call: ModelCall; top: number; isSelected: boolean; onSelect: () => void }

/** A model call of a step: its model, tokens and duration, which are the trace's. */
export function CallLine({ id, call, top, isSelected, onSelect }: Props) {
  const place = useContext(RunPlace)
  const { model, name, status, error, tokens, firstToken, latency, trace } = call
  const facts = [
    tokens !== null && `${count(tokens)} tokens`,
    firstToken !== null && `first token after ${duration(firstToken)}`,
  ].filter(Boolean)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list that holds the row handles the keys
    <div
      id={id}
      role="treeitem"
      aria-level={3}
      aria-selected={isSelected}
      tabIndex={-1}
      onClick={onSelect}
      className={cn(
        'absolute inset-x-0 flex cursor-default items-center gap-2 whitespace-nowrap px-2 text-xs',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
      style={{ top, height: STEP_ROW_HEIGHT }}
    >
      <span className="min-w-0 flex-1 truncate pl-12 @lg:w-64 @md:w-40 @md:flex-none" title={error ?? undefined}>
        <span className="text-ink-3">Model call: </span>
        <span className={cn(status === 'error' && 'text-error')}>
          <VisibleText>{model ?? name}</VisibleText>
        </span>
      </span>
      <span className="w-20 shrink-0 text-right tabular-nums" title="From the trace">
        {latency === null ? '–' : duration(latency)}
      </span>
      <span className="flex min-w-0 gap-3 @md:flex-1">
        <span className="min-w-0 truncate text-ink-3 @max-md:hidden">{facts.join(', ') || 'tokens not reported'}</span>
        {place && trace ? (
          <Link
            prefetch={false}
            className="shrink-0 text-accent hover:underline"
            href={routes.trace(place.workspace, place.deploymentId, trace, { run: call.id })}
          >
            Open
            <span className="sr-only"> the call in the trace</span>
          </Link>
        ) : null}
      </span>
    </div>
  )
}
