import { ClockTime, RelativeTime } from '@/components/shared/text/relative-time'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import {
  LISTENER_STATES,
  type ListenerRow,
  type ListenerRowsPage,
  type ListenerStateName,
  listenerStateOf,
} from '@/lib/contracts/deployments/listener-row'
import { count } from '@/lib/format/format'

const STATES: Record<ListenerStateName, { tone: Tone; label: string; counted: string }> = {
  away: { tone: 'error', label: 'Away', counted: 'away' },
  revoked: { tone: 'warn', label: 'Token revoked', counted: 'with a revoked token' },
  never: { tone: 'warn', label: 'Never connected', counted: 'never connected' },
  unknown: { tone: 'unknown', label: 'Unknown', counted: 'unknown' },
  connected: { tone: 'ok', label: 'Connected', counted: 'connected' },
}

type Connected = Pick<ListenerRow, 'connection'>

export function ListenerState({ connection }: Connected) {
  const state = listenerStateOf(connection)
  const { tone, label } = STATES[state]
  const { who, since } = connection?.away ?? {}
  return (
    <span className="whitespace-nowrap">
      <StatusBadge tone={tone}>{state === 'away' && who === 'cluster' ? 'Cluster away' : label}</StatusBadge>
      {state === 'away' ? (
        <span className="text-ink-2 text-xs">
          {' '}
          · heard <RelativeTime at={since} />
        </span>
      ) : null}
    </span>
  )
}

/** What the state means, and what to do. */
export function StateSentence({ connection }: Connected) {
  const state = listenerStateOf(connection)
  const since = <ClockTime at={Date.parse(connection?.away?.since ?? '')} />
  if (state === 'unknown') return 'This control plane does not report whether its listeners are connected.'
  if (state === 'connected')
    return connection?.token === null
      ? 'It is part of the platform, so it cannot be changed or deleted.'
      : 'The listener and its cluster answer.'
  if (state === 'revoked')
    return 'Its token was revoked, which ended it. Its agents go on, and roll-outs wait. Start it again with a new token.'
  if (state === 'never') return 'Start it in its cluster with its token. If nobody has the token, create a new one.'
  if (connection?.away?.who === 'cluster')
    return <>No word from the cluster since {since}. Roll-outs wait until it answers; agents may still serve.</>
  return (
    <>No word from the listener since {since}. Roll-outs wait until it is started again; its agents may still serve.</>
  )
}

type StripProps = { counts: ListenerRowsPage['counts']; chosen: string | null; onChoose: (state: string) => void }

/** How many listeners are in each state. Each number filters the list. */
export const StateStrip = ({ counts, chosen, onChoose }: StripProps) => (
  <fieldset aria-label="State" className="mb-3 flex flex-wrap items-center gap-2">
    {/* That none are connected is only known where every state is. */}
    {LISTENER_STATES.filter(
      (state) => counts[state] > 0 || state === chosen || (state === 'connected' && counts.unknown === 0),
    ).map((state) => (
      <button
        key={state}
        type="button"
        aria-pressed={chosen === state}
        onClick={() => onChoose(chosen === state ? '' : state)}
        className="rounded-md border border-line-strong bg-panel px-2.5 py-1 hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft"
      >
        <StatusBadge tone={counts[state] > 0 ? STATES[state].tone : 'unknown'}>
          {count(counts[state])} {STATES[state].counted}
        </StatusBadge>
      </button>
    ))}
    <span className="text-ink-3 text-xs">
      {count(LISTENER_STATES.reduce((sum, state) => sum + counts[state], 0))} in total
    </span>
  </fieldset>
)
