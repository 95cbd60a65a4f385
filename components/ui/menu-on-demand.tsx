'use client'
import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, Suspense, useState } from 'react'

type Trigger = ReactElement<{
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
  onPointerEnter?: () => void
  onFocus?: () => void
  onClick?: () => void
  onKeyDown?: (event: KeyboardEvent) => void
}>
type MenuOnDemandProps = {
  trigger: Trigger
  /** Fetches the menu's code: called as soon as somebody comes near. */
  load: () => Promise<unknown>
  /** The lazy menu with the same trigger, open from the start. */
  children: ReactNode
}

/** A trigger whose menu costs nothing until it is wanted: menus weigh 24 kB, and stand on every page. */
export function MenuOnDemand({ trigger, load, children }: MenuOnDemandProps) {
  const [isWanted, setWanted] = useState(false)
  const prepare = () => void load().catch(() => {}) // a lost chunk is tried again, and said, when it is wanted
  const closed = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: () => setWanted(true),
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown') return
      event.preventDefault()
      setWanted(true)
    },
  })
  return isWanted ? <Suspense fallback={closed}>{children}</Suspense> : closed
}
