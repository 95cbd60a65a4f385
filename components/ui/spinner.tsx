import { LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'

/** Turns in steps: a smooth turn would recompose the whole page sixty times a second while a run is active. */
export const Spinner = ({ className }: { className?: string }) => (
  <LoaderCircle aria-hidden className={cn('size-3.5 animate-[spin_1s_steps(8)_infinite]', className)} />
)
