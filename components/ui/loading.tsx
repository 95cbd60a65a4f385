import { LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'

/** A placeholder with the size of the content that is loading. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cn('block animate-pulse bg-line base:h-3 base:rounded-sm', className)} />
)

/** Rotates in steps: a smooth rotation would repaint the page sixty times a second during a run. */
export const Spinner = ({ className }: { className?: string }) => (
  <LoaderCircle aria-hidden className={cn('size-3.5 animate-[spin_1s_steps(8)_infinite]', className)} />
)
