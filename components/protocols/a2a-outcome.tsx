'use client'
import { useMemo } from 'react'
import { JsonTree } from '@/components/shared/json/json-tree'
import { IdChip } from '@/components/shared/text/id-chip'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { type A2aPart, outcomeOf } from '@/lib/contracts/agents/a2a'
import { count } from '@/lib/format/format'
import { entryOf } from '@/lib/json/guards'

export const TASK_TONES: Record<string, Tone> = {
  completed: 'ok',
  working: 'progress',
  submitted: 'progress',
  'input-required': 'warn',
  'auth-required': 'warn',
  failed: 'error',
  rejected: 'error',
  canceled: 'neutral',
}

/** The combined result of the responses to one request so far. */
export function A2aOutcomeView({ results, isStreaming }: { results: readonly unknown[]; isStreaming: boolean }) {
  const { state, task, context, said, artifacts } = useMemo(() => outcomeOf(results), [results])
  if (results.length === 0) return null
  return (
    <section aria-label="Response" className="min-w-0 space-y-3 rounded-lg border bg-panel p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h3 className="font-semibold text-sm">Response</h3>
        {state ? (
          <StatusBadge tone={entryOf(TASK_TONES, state) ?? 'unknown'}>
            <VisibleText>{state}</VisibleText>
          </StatusBadge>
        ) : null}
        {results.length > 1 || isStreaming ? (
          <span className="text-ink-3 text-xs tabular-nums">{count(results.length)} events</span>
        ) : null}
        {task ? <IdChip id={task} what="task id" className="text-ink-2" /> : null}
        {context ? <IdChip id={context} what="context id" className="text-ink-2" /> : null}
      </div>
      <Parts parts={said} label="Message" />
      {artifacts.map(({ id, name, parts }) => (
        <Parts key={id} parts={parts} label={name || 'Artifact'} />
      ))}
    </section>
  )
}

const Parts = ({ parts, label }: { parts: readonly A2aPart[]; label: string }) =>
  parts.length === 0 ? null : (
    <div className="min-w-0 space-y-2">
      <p className="text-ink-3 text-xs">
        <VisibleText>{label.slice(0, 200)}</VisibleText>
      </p>
      {parts.map((part, index) =>
        'text' in part ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity and do not change places
          <LongText key={index} text={part.text} className="text-sm" />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <div key={index} className="overflow-hidden rounded-md border">
            <JsonTree value={part.data} label={`${label} as JSON`} className="max-h-72" />
          </div>
        ),
      )}
    </div>
  )
