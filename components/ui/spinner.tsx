import { LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'

/** Turns in steps: a smooth turn would have the whole page composed anew sixty times a second for as long as a run goes on. */
export const Spinner = ({ className }: { className?: string }) => (
  <LoaderCircle aria-hidden className={cn('size-3.5 animate-[spin_1s_steps(8)_infinite]', className)} />
)
