import { useEffect, useRef } from 'react'

/** Leaves the focus in a page that has come, where what had it has gone with the page before. */
export function useFocusInPage(pathname: string): void {
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
  }, [pathname])
}
