'use client'
import { SlidersHorizontal } from 'lucide-react'
import { Button } from '@/components/ui/button'

type Props = {
  /** What it is for, if there are several. */
  of?: string
  /** How many options are set. */
  set: number
  isOpen: boolean
  onToggle: () => void
}

/** Shows and hides the options of a run, and tells how many are set. */
export function AdvancedButton({ of, set, isOpen, onToggle }: Props) {
  const name = of ? `${of}: advanced` : 'Advanced'
  return (
    <Button
      size="sm"
      variant="ghost"
      aria-label={set > 0 ? `${name}, ${set} set` : name}
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      <SlidersHorizontal aria-hidden />
      <span className="@max-md:hidden">Advanced</span>
      {set > 0 ? <span className="rounded-sm bg-accent-soft px-1 tabular-nums">{set}</span> : null}
    </Button>
  )
}
