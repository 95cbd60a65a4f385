import { cn } from '@/lib/cn'

/** Stands where something will be, in its size. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cn('block animate-pulse bg-line base:h-3 base:rounded-sm', className)} />
)
