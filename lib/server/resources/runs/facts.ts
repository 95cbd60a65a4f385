import 'server-only'
import type { RunFacts } from '@/lib/contracts/agents/run-row'
import type { TraceRun } from '@/lib/contracts/traces/trace-run'
import { firstLine, firstWords } from '@/lib/stream/thread-rows'
import type { PriceBook } from '@/lib/traces/cost'
import { callsOf, type LightRun } from '@/lib/traces/light-run'

/** What a root run's trace tells. A missing price leaves the cost unknown. */
export function traceFacts(run: TraceRun, light: LightRun, book: PriceBook | undefined): RunFacts {
  const { total, unpriced, estimates } = book?.costOf(light.cost, callsOf(light)) ?? { total: null, unpriced: 1 }
  return {
    trace: light.end === null ? 'open' : 'ended',
    // It may be the class in which a graph gets its answers. The run's server knows what was sent.
    ...given('input', firstWords(/^Command\b/.test(run.inputs_preview ?? '') ? '' : (run.inputs_preview ?? ''))),
    ...given('error', light.status === 'error' ? firstLine(light.error ?? '') : null),
    ...given('firstTokenMs', light.firstToken),
    ...given('tokens', light.tokens),
    ...given('tokensIn', light.tokensIn),
    ...given('tokensOut', light.tokensOut),
    ...(total !== null && unpriced === 0 && { cost: { amount: total, isEstimated: Boolean(estimates?.length) } }),
  }
}

const given = <Name extends keyof RunFacts>(name: Name, value: RunFacts[Name] | null): Pick<RunFacts, Name> | object =>
  value === null || value === undefined || value === '' ? {} : { [name]: value }
