'use client'
import { Braces, Crosshair, List, MessagesSquare, Waypoints } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { type Lens, useMoment } from './moment'

const LINKS: { lens: Lens; label: string; icon: ReactNode }[] = [
  { lens: 'transcript', label: 'Show in transcript', icon: <MessagesSquare aria-hidden /> },
  { lens: 'steps', label: 'Show in steps', icon: <Waypoints aria-hidden /> },
  { lens: 'state', label: 'Show state at this entry', icon: <Braces aria-hidden /> },
  { lens: 'events', label: 'Show in events', icon: <List aria-hidden /> },
]

/** Links to the same entry in the other lenses. */
export function MomentLinks({ seq, from, className }: { seq: number; from: Lens; className?: string }) {
  const { open } = useMoment()
  if (seq <= 0) return null
  return (
    <span className={cn('inline-flex items-center', className)}>
      {LINKS.filter(({ lens }) => lens !== from).map(({ lens, label, icon }) => (
        <button
          key={lens}
          type="button"
          aria-label={label}
          title={label}
          onClick={(event) => {
            event.stopPropagation()
            open(lens, seq)
          }}
          className="inline-flex size-5 items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink [&_svg]:size-3"
        >
          {icon}
        </button>
      ))}
    </span>
  )
}

/** Shows that a lens is at an earlier entry, with a button back to the latest. */
export const AtMoment = ({ seq, onLeave }: { seq: number; onLeave: () => void }) => (
  <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-accent text-xs">
    <Crosshair aria-hidden className="size-3.5" />
    At entry {seq}
    <button type="button" className="underline" onClick={onLeave}>
      Newest
    </button>
  </span>
)
