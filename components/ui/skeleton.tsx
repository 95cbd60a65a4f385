import { cn } from '@/lib/cn'

/** Stands where something will be, in its size. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cn('block h-3 animate-pulse rounded-sm bg-line', className)} />
)
