'use client'
import { CloudOff } from 'lucide-react'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import type { ErrorCode } from '@/lib/errors'
import { SignInAgain } from './sign-in-again'

type StaleNoticeProps = { message: string; code?: ErrorCode; at: number; onRetry: () => void }

/** Says how old the shown data is, and why it is not newer. */
export const StaleNotice = ({ message, code, at, onRetry }: StaleNoticeProps) => (
  <div role="status" className="mb-3 flex items-center gap-2.5 rounded-md border border-warn/30 bg-warn-soft px-3 py-2">
    <CloudOff aria-hidden className="size-4 shrink-0 text-warn" />
    <p className="min-w-0 flex-1 break-words">
      {message} Last updated <RelativeTime at={at} />.
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
