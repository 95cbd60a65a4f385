import { figureText } from '@/components/runs/view/model-figures'
import type { RunFacts } from '@/lib/contracts/agents/run-row'
import { count, duration } from '@/lib/format/format'
import type { RecordingSummary } from '@/lib/stream/log'
import { runStatus, shownPhase } from '@/lib/stream/run-status'
import { replayedUntil, timesOf } from '@/lib/stream/run-times'
import { messagesOf, type RunView, recordedFigures } from '@/lib/stream/run-view'
import { isEstimated } from '@/lib/stream/steps'
import { displayNamespace } from '@/lib/stream/wire/namespaces'
import { modelFigures } from '@/lib/traces/model-figures'

/** `traced`: what the list of runs tells of it from its trace. `isLoading`: its log has not been read yet. */
export type ComparedRun = {
  view: RunView
  summary: RecordingSummary
  traced?: RunFacts | undefined
  isLoading?: boolean
}
export type DifferenceRow = { name: string; a: string; b: string; isDifferent: boolean }

/** Compares two runs by metric, then by node: how often each ran and for how long. */
export function runDifference(a: ComparedRun, b: ComparedRun): DifferenceRow[] {
  const left = figuresOf(a)
  const right = figuresOf(b)
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => {
    const one = left.get(name) ?? '–'
    const other = right.get(name) ?? '–'
    return { name, a: one, b: other, isDifferent: one !== other && one !== LOADING && other !== LOADING }
  })
}

const LOADING = '…'

function figuresOf(run: ComparedRun): Map<string, string> {
  const figures = loggedFigures(run)
  if (!run.isLoading) return figures
  return new Map([...figures].map(([name, text]) => [name, IN_SUMMARY.includes(name) ? text : LOADING]))
}

/** What is known before the log is. */
const IN_SUMMARY = ['Status', 'Duration']

function loggedFigures({ view, summary, traced }: ComparedRun): Map<string, string> {
  const { final, lastAt, steps } = view
  const { startedAt, endedAt } = timesOf(view, summary)
  const known = replayedUntil(view, summary)
  const { firstToken, tokensIn, tokensOut } = modelFigures(traced, recordedFigures(view, summary))
  const status = runStatus({
    phase: shownPhase(summary.phase, undefined, final !== undefined),
    // No log knows that its thread has gone on.
    outcome: summary.outcome === 'continued' ? 'continued' : (final?.outcome ?? summary.outcome),
    isStateless: summary.isStateless,
    view,
  })
  // A thread's earlier messages are only in its state. Without streamed messages the two cannot be told apart.
  const written = messagesOf(view).filter(({ isRemoved, firstSeq }) => !isRemoved && firstSeq > 0)
  const isKnown = written.length > 0 || messagesOf(view).length === 0
  const figures = new Map([
    ['Status', status.label],
    ['Duration', duration((endedAt ?? lastAt ?? startedAt) - startedAt)],
    ['First token', figureText(firstToken, duration) ?? '–'],
    ['Tokens in', figureText(tokensIn, count) ?? '–'],
    ['Tokens out', figureText(tokensOut, count) ?? '–'],
    ['Messages written', isKnown ? count(written.length) : '–'],
    ['Tool calls', isKnown ? count(written.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0)) : '–'],
    ['Attempts', count(view.run.attempt)],
    ['Events', count(view.seq)],
  ])
  for (const track of steps.tracks.values()) {
    const place = displayNamespace(track.namespace)
    const busy = track.steps.reduce((sum, step) => sum + (step.endedAt ?? lastAt ?? step.startedAt) - step.startedAt, 0)
    const failed = track.steps.filter(({ status: one }) => one === 'error').length
    const isKnown = track.steps.every(({ startedAt, status }) => startedAt >= known && status !== 'unknown')
    const about = track.steps.some(isEstimated) ? '≈ ' : ''
    const times = track.steps.length === 1 ? '' : `${count(track.steps.length)} times, `
    figures.set(
      `${place ? `${place} › ` : ''}${track.node}`,
      `${times}${isKnown ? about + duration(busy) : '–'}${failed > 0 ? `, ${count(failed)} failed` : ''}`,
    )
  }
  return figures
}
