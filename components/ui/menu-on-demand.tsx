'use client'
import {
  cloneElement,
  createContext,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from 'react'
import './last-focused'

/**
 * Whether the menu was opened by keyboard, so that its first item gets the focus. Only for the first opening; later ones
 * are handled by Radix.
 */
export const OpenedByKey = createContext(false)

type Trigger = ReactElement<{
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
  onPointerEnter?: () => void
  onFocus?: () => void
  onClick?: (event: MouseEvent) => void
  onKeyDown?: (event: KeyboardEvent) => void
}>
type MenuOnDemandProps = {
  trigger: Trigger
  /** Loads the menu's code. Called on hover and focus. */
  load: () => Promise<unknown>
  /** The lazy menu, initially open and with the same trigger. */
  children: ReactNode
}

/** A trigger that loads its menu on demand, because menus weigh 24 kB and are on every page. */
export function MenuOnDemand({ trigger, load, children }: MenuOnDemandProps) {
  const [wanted, setWanted] = useState<'by key' | 'by pointer'>()
  const prepare = () => void load().catch(() => {}) // a failed load is retried, and its error shown, when the menu is opened
  const closed = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: ({ detail }) => setWanted(detail === 0 ? 'by key' : 'by pointer'), // `detail` is the number of clicks; 0 for the keyboard
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown') return
      event.preventDefault()
      setWanted('by key')
    },
  })
  if (!wanted) return closed
  return (
    <OpenedByKey value={wanted === 'by key'}>
      <Suspense fallback={closed}>{children}</Suspense>
    </OpenedByKey>
  )
}
