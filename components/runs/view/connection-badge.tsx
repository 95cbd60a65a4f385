'use client'
import { CloudOff, History, Pause, Radio, RefreshCw, SquareCheck } from 'lucide-react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { connection } from '@/lib/live/client'
import type { RunStore } from './run-store'

/** So far behind the recording, what is shown is a replay and not yet the present. */
const REPLAY_FROM = 200

/** How fresh the page is: live, catching up, without a connection, or complete. */
export function ConnectionBadge({ store }: { store: RunStore }) {
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  const { view, total } = store
  if (store.isPaused)
    return (
      <Mark
        icon={<Pause />}
        tone="text-warn"
        label={total > view.seq ? `Paused, ${count(total - view.seq)} new` : 'Paused'}
        title="The page stands still; the recording goes on and nothing is lost."
      />
    )
  if (view.final)
    return (
      <Mark icon={<SquareCheck />} tone="text-ink-3" label="Recording complete" title={`${count(view.seq)} entries`} />
    )
  if (total - view.seq > REPLAY_FROM || (view.seq === 0 && total > 0))
    return <Mark icon={<History />} tone="text-progress" label={`Replaying ${count(view.seq)} of ${count(total)}`} />
  // This page hears everything; what it hears from has lost the agent server.
  if (state === 'live' && store.phase === 'reconnecting')
    return (
      <Mark
        icon={<RefreshCw />}
        tone="text-warn"
        label="Reconnecting to the agent server"
        title="The console lost the run's stream and tries to get it back. The run may go on meanwhile."
      />
    )
  if (state === 'live')
    return <Mark icon={<Radio />} tone="text-ok" label="Live" title={`${count(view.seq)} entries so far`} />
  if (state === 'ended')
    return <Mark icon={<CloudOff />} tone="text-error" label="Ended" title="The server ended the connection." />
  if (state === 'offline')
    return (
      <Mark
        icon={<CloudOff />}
        tone="text-error"
        label="Offline"
        title="The run goes on; the page catches up once the connection is back."
      />
    )
  return (
    <Mark
      icon={<RefreshCw />}
      tone="text-warn"
      label={state === 'reconnecting' ? 'Reconnecting' : 'Connecting'}
      title="The run goes on; nothing is lost meanwhile."
    />
  )
}

const Mark = ({ icon, tone, label, title }: { icon: ReactNode; tone: string; label: string; title?: string }) => (
  <span
    title={title}
    className={cn(
      'inline-flex items-center gap-1.5 whitespace-nowrap font-medium text-xs tabular-nums [&_svg]:size-3.5',
      tone,
    )}
  >
    {icon}
    {label}
  </span>
)
