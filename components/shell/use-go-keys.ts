'use client'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { navItemsFor } from './navigation/nav'
import type { ShellWorkspace } from './sidebar'

/** How long after G the letter may come. */
const PAUSE_MS = 1_200
const LETTER = /^\p{L}$/u
const TYPING = 'input, textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]'

/** G, then the letter of a section, goes there. Any letter after G is used up, because a page may have one for a decision. */
export function useGoKeys({ slug, role, limitedTo }: Omit<ShellWorkspace, 'name'>): void {
  const router = useRouter()
  useEffect(() => {
    let beganAt = Number.NEGATIVE_INFINITY
    function onKey(event: KeyboardEvent) {
      if (event.metaKey || event.ctrlKey || event.altKey || (event.target as Element).closest(TYPING)) return
      const key = event.key.toLowerCase()
      const isSecond = performance.now() - beganAt < PAUSE_MS
      beganAt = key === 'g' ? performance.now() : Number.NEGATIVE_INFINITY
      if (!isSecond || !LETTER.test(key)) return
      event.preventDefault()
      event.stopPropagation()
      const place = navItemsFor({ slug, role, limitedTo }).find((one) => one.key === key)
      if (place) router.push(place.href)
    }
    // Before the keys of lists, which use single letters too.
    window.addEventListener('keydown', onKey, true)
    return () => window.removeEventListener('keydown', onKey, true)
  }, [router, slug, role, limitedTo])
}
