'use client'
import { useRouter } from 'next/navigation'
import { useEffect, useEffectEvent, useRef } from 'react'
import { takeEarlyKeys } from './early/keys'
import { navItemsFor } from './navigation/nav'
import type { ShellWorkspace } from './sidebar'

/** How long after G the letter may come. */
const PAUSE_MS = 1_200
const LETTER = /^\p{L}$/u
const TYPING = 'input, textarea, select, [contenteditable="true"], [role="dialog"]'

/**
 * The keys of every page, also those that were pressed before the program had come. G, then the letter of a section, goes there.
 * Any letter after G is used up, because a page may have one for a decision. Ctrl K and ? are given to `onOpen`.
 */
export function useShellKeys(
  place: Omit<ShellWorkspace, 'name'>,
  onOpen: (what: 'palette' | 'shortcuts') => void,
): void {
  const router = useRouter()
  const beganAt = useRef(Number.NEGATIVE_INFINITY)

  const go = useEffectEvent((event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isAt(event, `${TYPING}, [role="menu"]`)) return
    const key = event.key.toLowerCase()
    const isSecond = event.timeStamp - beganAt.current < PAUSE_MS
    beganAt.current = key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    if (!isSecond || !LETTER.test(key)) return
    event.preventDefault()
    event.stopPropagation()
    const section = navItemsFor(place).find((one) => one.key === key)
    if (section) router.push(section.href)
  })
  const open = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      onOpen('palette')
    } else if (event.key === '?' && !isAt(event, TYPING)) {
      onOpen('shortcuts')
    }
  })

  useEffect(() => {
    const onGo = (event: KeyboardEvent) => go(event)
    const onOther = (event: KeyboardEvent) => open(event)
    for (const event of takeEarlyKeys()) {
      go(event)
      open(event)
    }
    // Before the keys of lists, which use single letters too.
    window.addEventListener('keydown', onGo, true)
    window.addEventListener('keydown', onOther)
    return () => {
      window.removeEventListener('keydown', onGo, true)
      window.removeEventListener('keydown', onOther)
    }
  }, [])
}

const isAt = (event: KeyboardEvent, places: string) => (event.target as Element).closest(places) !== null
