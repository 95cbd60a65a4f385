'use client'
import type { RecordingSummary } from '@/lib/stream/log'
import { recordedFigures } from '@/lib/stream/run-view'
import { modelFigures } from '@/lib/traces/model-figures'
import { RunModelFigures } from './model-figures'
import type { RunStore } from './run-store'
import { useTracedRun } from './use-traced-run'

/** What the models of a run took, by the rule of the list of runs; until its trace is read, as recorded. */
export function TracedFigures({ summary, store }: { summary: RecordingSummary; store: RunStore }) {
  const { row, isReading, problem } = useTracedRun(summary, store)
  const unknown = problem ? `Unknown: the trace could not be read. ${problem}` : UNKNOWN
  return (
    <RunModelFigures
      figures={modelFigures(row, recordedFigures(store.view, summary))}
      unknown={isReading ? '…' : '–'}
      unknownTitle={isReading ? 'Reading the trace.' : unknown}
    />
  )
}

const UNKNOWN = 'Unknown: neither the recording nor a trace tells it.'
