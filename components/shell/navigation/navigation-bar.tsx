import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { navigation } from '@/lib/navigation'

/** Pages that come sooner than this show no bar. */
const HESITATE_MS = 150

/**
 * A line at the top while another page is on its way. The page before stays meanwhile: React shows a skeleton for 300 ms at
 * least, and most pages need less.
 */
export function NavigationBar() {
  const place = `${usePathname()}?${useSearchParams()}`
  const isUnderWay = useSyncExternalStore(navigation.subscribe, navigation.get, () => false)
  const [isShown, setShown] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place means that the page has come
  useEffect(() => navigation.end(), [place])
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setTimeout(setShown, HESITATE_MS, true)
    return () => {
      clearTimeout(timer)
      setShown(false)
    }
  }, [isUnderWay])
  return isShown ? (
    <div
      role="progressbar"
      aria-label="Loading the page"
      className="fixed inset-x-0 top-0 z-50 h-0.5 animate-pulse bg-accent"
    />
  ) : null
}
