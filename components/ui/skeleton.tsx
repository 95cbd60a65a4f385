import { cn } from '@/lib/cn'

/** A placeholder with the size of the content that is loading. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cn('block animate-pulse bg-line base:h-3 base:rounded-sm', className)} />
)
