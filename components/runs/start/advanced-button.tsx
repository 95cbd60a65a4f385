'use client'
import { SlidersHorizontal } from 'lucide-react'
import type { KeyboardEvent } from 'react'
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
      data-advanced
      onClick={onToggle}
    >
      <SlidersHorizontal aria-hidden />
      <span className="@max-md:hidden">Advanced</span>
      {set > 0 ? <span className="rounded-sm bg-accent-soft px-1 tabular-nums">{set}</span> : null}
    </Button>
  )
}

/** Closes the options with Escape. The button takes the focus from a field among them. */
export function closeOnEscape(event: KeyboardEvent<HTMLElement>, close: () => void) {
  // A menu or an editor has used the key already.
  if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return
  event.preventDefault()
  close()
  const isInside = event.target instanceof Element && event.target.closest('section[aria-label="Advanced"]')
  if (isInside) event.currentTarget.querySelector<HTMLElement>('[data-advanced]')?.focus()
}
