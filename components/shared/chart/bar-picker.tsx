'use client'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { cn } from '@/lib/cn'
import { chosenBars, movedBar } from './bar-choice'

type Props = {
  label: string
  /** What each bar says. */
  hints: readonly string[]
  onPick: (first: number, last: number) => void
}

/**
 * Lies over the bars of a chart: a click chooses one, dragging several. With the keyboard, arrows move, Shift extends, Enter
 * chooses.
 */
export function BarPicker({ label, hints, onPick }: Props) {
  const group = useRef<HTMLFieldSetElement>(null)
  const [at, setAt] = useState(hints.length - 1)
  const [anchor, setAnchor] = useState<number>()
  const focused = Math.min(at, hints.length - 1)
  const { first, last } = chosenBars(anchor, focused)
  const focus = (index: number) => group.current?.querySelectorAll('button')[index]?.focus()
  const pick = (to: number) => {
    const chosen = chosenBars(anchor, to)
    setAnchor(undefined)
    onPick(chosen.first, chosen.last)
  }
  const barUnder = ({ clientX }: PointerEvent) => {
    const { left, width } = (group.current as HTMLFieldSetElement).getBoundingClientRect() // mounted, since it got an event
    const index = Math.floor(((clientX - left) / width) * hints.length)
    return Math.max(0, Math.min(hints.length - 1, index))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && anchor !== undefined) return setAnchor(undefined)
    const next = movedBar(event.key, focused, hints.length)
    if (next === undefined) return
    event.preventDefault()
    setAnchor(event.shiftKey ? (anchor ?? focused) : undefined)
    setAt(next)
    focus(next)
  }
  return (
    <fieldset
      ref={group}
      aria-label={`${label}: choose a time range. Shift and an arrow key choose several bars.`}
      className="absolute inset-0 flex w-full cursor-pointer touch-pan-y select-none"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setAnchor(barUnder(event))
        setAt(barUnder(event))
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && setAt(barUnder(event))}
      onPointerUp={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && pick(barUnder(event))}
      onPointerCancel={() => setAnchor(undefined)}
    >
      {hints.map((hint, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its position
          key={index}
          type="button"
          tabIndex={index === focused ? 0 : -1}
          aria-label={hint.replaceAll('\n', ', ')}
          title={hint}
          className={cn(
            'min-w-0 flex-1 hover:bg-ink/10',
            anchor !== undefined && index >= first && index <= last && 'bg-accent/20',
          )}
          onFocus={() => setAt(index)}
          // A pointer has chosen on release. Only the keyboard and assistive technology click without one.
          onClick={(event) => {
            if (event.detail !== 0) return
            pick(index)
            // The narrower chart may have fewer bars, and the first is always there.
            focus(0)
          }}
        />
      ))}
    </fieldset>
  )
}
