'use client'
import { CloudOff, LogIn, Radio, RefreshCw } from 'lucide-react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { signInHere } from '@/components/shared/feedback/sign-in-again'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { connection } from '@/lib/live/client'

/** Whether what the page shows is current. Hidden on pages that do not update live. */
export function LiveBadge() {
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  const freshness = useSyncExternalStore(connection.subscribe, connection.getFreshness, () => 'unwatched' as const)
  if (state === 'connecting' || (state === 'live' && freshness === 'unwatched')) return null
  if (state === 'live' && typeof freshness === 'object')
    return (
      <Indicator icon={<CloudOff />} tone="text-warn" title={freshness.message}>
        Not up to date
      </Indicator>
    )
  if (state === 'live')
    return (
      <Indicator icon={<Radio />} tone="text-ok" title="This page updates live.">
        Live
      </Indicator>
    )
  if (typeof state === 'object')
    return (
      <Button size="sm" title={state.refused} onClick={() => window.location.reload()}>
        <RefreshCw aria-hidden />
        <span className="max-w-40 truncate sm:max-w-96">{state.refused}</span>
      </Button>
    )
  if (state === 'ended')
    return (
      // A full page load, so that nothing from the ended session stays on screen.
      <Button size="sm" onClick={() => window.location.assign(signInHere())}>
        <LogIn aria-hidden />
        Session ended. Sign in
      </Button>
    )
  if (state === 'offline')
    return (
      <Indicator icon={<CloudOff />} tone="text-error" title="No network. Updates resume when you are back online.">
        Offline
      </Indicator>
    )
  return (
    <Indicator icon={<RefreshCw />} tone="text-warn" title="This page may be slightly out of date.">
      Reconnecting
    </Indicator>
  )
}

type IndicatorProps = { icon: ReactNode; tone: string; title: string; children: string }

const Indicator = ({ icon, tone, title, children }: IndicatorProps) => (
  <output
    title={title}
    className={cn('inline-flex items-center gap-1.5 whitespace-nowrap font-medium text-xs [&_svg]:size-3.5', tone)}
  >
    {icon}
    <span className="sr-only sm:not-sr-only">{children}</span>
  </output>
)
