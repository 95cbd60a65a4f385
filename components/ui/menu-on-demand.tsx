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

/** The menu inside was asked for by a key: it begins with its first item. Later the menu itself sees to that. */
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
  /** Fetches the menu's code: called as soon as somebody comes near. */
  load: () => Promise<unknown>
  /** The lazy menu with the same trigger, open from the start. */
  children: ReactNode
}

/** A trigger whose menu costs nothing until it is wanted: menus weigh 24 kB, and stand on every page. */
export function MenuOnDemand({ trigger, load, children }: MenuOnDemandProps) {
  const [wanted, setWanted] = useState<'by key' | 'by pointer'>()
  const prepare = () => void load().catch(() => {}) // a lost chunk is tried again, and said, when it is wanted
  const closed = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: ({ detail }) => setWanted(detail === 0 ? 'by key' : 'by pointer'), // it counts presses of the pointer
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
