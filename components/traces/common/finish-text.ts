import type { Tone } from '@/components/ui/badge'
import { count } from '@/lib/format/format'
import type { Usage } from '@/lib/traces/facts'
import type { Finish, FinishKind } from '@/lib/traces/finish'

/** Why a model stopped: as a badge, and as the reason of an empty answer. */
const WORDS: Record<FinishKind, { tone: Tone; label: string; empty: string }> = {
  stop: { tone: 'ok', label: 'Finished', empty: 'No answer was logged. The model stopped by itself.' },
  tool_calls: { tone: 'ok', label: 'Calls tools', empty: 'The model called tools, but no call was logged.' },
  length: {
    tone: 'warn',
    label: 'Cut off',
    empty: 'The limit of output tokens was reached before the model answered.',
  },
  content_filter: { tone: 'error', label: 'Filtered', empty: 'The provider’s content filter withheld the answer.' },
  refusal: { tone: 'warn', label: 'Refused', empty: 'The model refused to answer.' },
  error: { tone: 'error', label: 'Failed', empty: 'The provider failed to answer.' },
  broken_off: { tone: 'warn', label: 'Broke off', empty: 'The stream broke off before the model answered.' },
  other: { tone: 'unknown', label: 'Finish reason', empty: 'No answer was logged.' },
}

export const finishKindLabel = (kind: FinishKind): string => WORDS[kind].label
export const finishTone = ({ kind }: Finish): Tone => WORDS[kind].tone
/** "Cut off: max_tokens". */
export const finishLabel = ({ kind, given }: Finish): string => `${WORDS[kind].label}: ${given.slice(0, 80)}`

/** Undefined if nothing is known. */
export const emptyText = (finish: Finish | undefined): string | undefined =>
  finish && `${WORDS[finish.kind].empty} (${finish.given.slice(0, 80)})`

/** Stands where reasoning was that the provider withheld. */
export const HIDDEN_REASONING = 'Reasoning hidden by the provider'

/** "Reasoning hidden by the provider, 128 tokens"; undefined if none were counted. */
export function hiddenReasoning(usage: Usage | undefined): string | undefined {
  const tokens = usage?.outputDetails.reasoning
  return tokens ? `${HIDDEN_REASONING}, ${count(tokens)} ${tokens === 1 ? 'token' : 'tokens'}` : undefined
}
