'use client'
import { usePathname } from 'next/navigation'
import { type ReactNode, Suspense, useEffect, useState } from 'react'

type Props = { fallback: ReactNode; children: ReactNode }

/**
 * Lets the browser fetch code while the page is on its way; later the page before stays until the next one is there.
 *
 * The frame can be used before its page is hydrated. If it leads to another page by then, React would keep the old page under
 * the new address and hydrate it as the new one, so it is replaced as a whole.
 */
export function PageBoundary({ fallback, children }: Props) {
  const path = usePathname()
  const [first] = useState(path)
  const [isHydrated, setHydrated] = useState(false)
  const [isReplaced, setReplaced] = useState(false)
  if (!isHydrated && !isReplaced && path !== first) setReplaced(true)
  return (
    <Suspense key={isReplaced ? 'replaced' : 'first'} fallback={fallback}>
      <Mark onHydrated={setHydrated} />
      {children}
    </Suspense>
  )
}

/** Its effect runs once everything beside it is hydrated. */
function Mark({ onHydrated }: { onHydrated: (isHydrated: true) => void }) {
  useEffect(() => onHydrated(true), [onHydrated])
  return null
}
