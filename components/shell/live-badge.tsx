'use client'
import { CloudOff, LogIn, Radio, RefreshCw } from 'lucide-react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { connection } from '@/lib/live/client'
import { routes } from '@/lib/routes'

/** How this browser's one live connection is. Nothing before a page has asked for anything live. */
export function LiveBadge() {
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  if (state === 'connecting') return null
  if (state === 'live')
    return (
      <Mark icon={<Radio />} tone="text-ok" title="What you see changes as it happens.">
        Live
      </Mark>
    )
  if (state === 'ended')
    return (
      // A whole new page, so that nothing of the ended session stays on screen.
      <Button
        size="sm"
        onClick={() => window.location.assign(routes.signIn(window.location.pathname + window.location.search))}
      >
        <LogIn aria-hidden />
        Session ended: sign in
      </Button>
    )
  if (state === 'offline')
    return (
      <Mark icon={<CloudOff />} tone="text-error" title="No network. It is tried again once there is one.">
        Offline
      </Mark>
    )
  return (
    <Mark icon={<RefreshCw />} tone="text-warn" title="What you see may be a little old meanwhile.">
      Reconnecting
    </Mark>
  )
}

type MarkProps = { icon: ReactNode; tone: string; title: string; children: string }

const Mark = ({ icon, tone, title, children }: MarkProps) => (
  <output
    title={title}
    className={cn('inline-flex items-center gap-1.5 whitespace-nowrap font-medium text-xs [&_svg]:size-3.5', tone)}
  >
    {icon}
    <span className="sr-only sm:not-sr-only">{children}</span>
  </output>
)
