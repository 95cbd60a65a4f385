import { ArrowDown } from 'lucide-react'
import { count } from '@/lib/format/format'

/** Jumps to the end of a growing list and follows it again. Shows the number of unseen rows. */
export const FollowPill = ({ unseen, isLive, onClick }: { unseen: number; isLive: boolean; onClick: () => void }) => (
  <button
    type="button"
    onClick={onClick}
    className="absolute bottom-3 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-panel px-3 font-medium text-xs shadow-pop hover:bg-hover"
  >
    <ArrowDown aria-hidden className="size-3.5" />
    {unseen > 0 ? `${count(unseen)} new` : isLive ? 'Follow' : 'Jump to end'}
  </button>
)
