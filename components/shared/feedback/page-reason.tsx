'use client'
import { type ReactNode, useEffect } from 'react'
import { STORE_AWAY } from '@/lib/errors'
import { isConsoleReady } from '@/lib/queries/readiness'

const ASK_EVERY_MS = 3000

/** Why a page could not be made, where its error's digest tells; otherwise what is given. */
export const PageReason = ({ digest, children }: { digest: string | undefined; children: ReactNode }) =>
  digest === STORE_AWAY ? <StoreAway /> : children

/** Loads the page as soon as the console is ready again. */
function StoreAway() {
  useEffect(() => {
    const timer = setInterval(async () => {
      if (await isConsoleReady()) location.reload()
    }, ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <p>
      The console’s database is unavailable at the moment, so this page cannot be shown. It comes by itself when the
      database is back.
    </p>
  )
}
