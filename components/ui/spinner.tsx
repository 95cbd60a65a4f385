import { LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'

/** Rotates in steps: a smooth rotation would repaint the page sixty times a second during a run. */
export const Spinner = ({ className }: { className?: string }) => (
  <LoaderCircle aria-hidden className={cn('size-3.5 animate-[spin_1s_steps(8)_infinite]', className)} />
)
