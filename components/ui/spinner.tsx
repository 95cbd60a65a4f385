import { LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'

export const Spinner = ({ className }: { className?: string }) => (
  <LoaderCircle aria-hidden className={cn('size-3.5 animate-spin', className)} />
)
