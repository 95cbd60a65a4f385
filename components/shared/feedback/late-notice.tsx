'use client'
import { useEffect, useState } from 'react'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'

const LATE_MS = 5_000

/** Explains a skeleton that has been on screen for long. */
export function LateNotice({ className }: { className?: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p role="status" className={cn('text-ink-2 text-sm empty:hidden', className)}>
      {isLate ? `No answer for ${LATE_MS / 1000} seconds. Still waiting.` : null}
    </p>
  )
}

/** A placeholder of this size that explains itself when it has been on screen for long. */
export const LateSkeleton = ({ className }: { className: string }) => (
  <div>
    <Skeleton className={className} />
    <LateNotice className="px-3 py-2" />
  </div>
)
