'use client'
import { CloudOff, History, LogIn, Pause, Radio, RefreshCw, SquareCheck, SquareDashed } from 'lucide-react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { connection } from '@/lib/live/client'
import type { RunStore } from './run-store'

/** A page more entries behind than this shows "Replaying" instead of "Live". */
const REPLAY_FROM = 200

type Props = {
  store: RunStore
  isFile: boolean | undefined
  /** The run has ended; what is left is to read its recording. */
  isEnded?: boolean
}

/** Whether the page is live, catching up, disconnected or complete. A file has no connection. */
export function ConnectionBadge({ store, isFile, isEnded }: Props) {
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  const { view, total } = store
  if (store.isPaused)
    return (
      <Mark
        icon={<Pause />}
        tone="text-warn"
        label={total > view.seq ? `Paused, ${count(total - view.seq)} new` : 'Paused'}
        title="Only this page is paused. The recording continues."
      />
    )
  if (view.final && view.gaps.length > 0)
    return (
      <Mark
        icon={<SquareDashed />}
        tone="text-warn"
        label="Recording incomplete"
        title={`${count(view.seq)} entries. The transcript shows where output is missing.`}
      />
    )
  if (view.final)
    return (
      <Mark icon={<SquareCheck />} tone="text-ink-3" label="Recorded" title={`Complete: ${count(view.seq)} entries`} />
    )
  if (state === 'ended' && !isFile)
    return (
      <Mark
        icon={<LogIn />}
        tone="text-error"
        label="Session ended"
        title="Sign in again to see how the run goes on. The recording continues."
      />
    )
  const problem = store.error?.message ?? (typeof state === 'object' && !isFile ? state.refused : undefined)
  if (problem) return <Mark icon={<CloudOff />} tone="text-warn" label="Not up to date" title={problem} />
  if (isFile && store.endsEarly)
    return (
      <Mark
        icon={<SquareDashed />}
        tone="text-warn"
        label="File ends before the run"
        title={`${count(view.seq)} entries. The file was cut off, or exported during the run.`}
      />
    )
  if (isEnded && state === 'live' && total === 0)
    return (
      <Mark
        icon={<History />}
        tone="text-ink-3"
        label="Loading"
        title="The run has ended. Its recording is being read."
      />
    )
  const isBehind = isEnded ? !store.isCaughtUp : total - view.seq > REPLAY_FROM || view.seq === 0
  if (isFile || (isBehind && total > 0))
    return <Mark icon={<History />} tone="text-progress" label={`Replaying ${count(view.seq)} of ${count(total)}`} />
  // The browser is connected to the console, but the console lost the agent server.
  if (state === 'live' && store.phase === 'reconnecting')
    return (
      <Mark
        icon={<RefreshCw />}
        tone="text-warn"
        label="Reconnecting to the agent server"
        title="The console lost the run's stream and is reconnecting. The run may still be active."
      />
    )
  if (state === 'live')
    return <Mark icon={<Radio />} tone="text-ok" label="Live" title={`${count(view.seq)} entries so far`} />
  if (state === 'offline')
    return (
      <Mark
        icon={<CloudOff />}
        tone="text-error"
        label="Offline"
        title="The run continues. The page catches up when the connection is back."
      />
    )
  return (
    <Mark
      icon={<RefreshCw />}
      tone="text-warn"
      label={state === 'reconnecting' ? 'Reconnecting' : 'Connecting'}
      title="The run continues. Nothing is lost."
    />
  )
}

const Mark = ({ icon, tone, label, title }: { icon: ReactNode; tone: string; label: string; title?: string }) => (
  <span
    title={title}
    className={cn(
      'inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap font-medium text-xs tabular-nums [&_svg]:size-3.5 [&_svg]:shrink-0',
      tone,
    )}
  >
    {icon}
    <span className="truncate">{label}</span>
  </span>
)
