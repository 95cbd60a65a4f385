'use client'
import { CloudOff } from 'lucide-react'
import { createContext, type ReactNode, useContext } from 'react'
import { ClockTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import type { ErrorCode, ErrorView, LiveError } from '@/lib/errors'
import { SignInAgain } from './sign-in-again'

/** Why the data on screen is not newer. `at`: when it was last confirmed, epoch ms. */
export type Stale = { message: string; code?: ErrorCode; at: number }

type Reading = { data: unknown; error: { view: ErrorView } | null; dataUpdatedAt: number }

/** Whether shown data is stale; undefined if it is current or there is none. `problem`: why live updates have stopped. */
export function staleOf({ data, error, dataUpdatedAt: at }: Reading, problem?: LiveError): Stale | undefined {
  if (data === undefined) return undefined
  if (error) return { message: error.view.message, code: error.view.code, at }
  return problem && { message: problem.message, code: problem.code, at: Math.max(at, problem.since ?? 0) }
}

/** For what stale data says: without the colours that mean healthy or failed. */
export const STALE_STYLE = 'grayscale'

const Said = createContext<Stale | undefined>(undefined)

/** The address and the failure, not what the server is called: control plane and tracing server may be one. */
const outageOf = (message: string) => message.slice(Math.max(0, message.indexOf(' at ')))

/** A part of the page below a notice, where other notices of the same outage are left out. */
export function BelowNotice({ stale, children }: { stale: Stale | undefined; children: ReactNode }) {
  const above = useContext(Said)
  return <Said value={stale ?? above}>{children}</Said>
}

/** The notice above the part of the page: what it says of the present may be over. */
export const useStale = (): Stale | undefined => useContext(Said)
export const useIsStale = (): boolean => useStale() !== undefined

/** Whether a notice above says the same. */
export function useIsSaid(message: string): boolean {
  const above = useStale()
  return above !== undefined && outageOf(above.message) === outageOf(message)
}

/** Says how old the shown data is, and why it is not newer. */
export function StaleNotice({ message, code, at, onRetry }: Stale & { onRetry: () => void }) {
  if (useIsSaid(message)) return null
  return (
    <div
      role="status"
      className="mb-3 flex items-center gap-2.5 rounded-md border border-warn/30 bg-warn-soft px-3 py-2"
    >
      <CloudOff aria-hidden className="size-4 shrink-0 text-warn" />
      <p className="min-w-0 flex-1 break-words">
        {message} {code === 'upstream_unreachable' ? 'No answer since' : 'Last updated'} <ClockTime at={at} />.
      </p>
      {code === 'unauthenticated' ? (
        <SignInAgain />
      ) : (
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
