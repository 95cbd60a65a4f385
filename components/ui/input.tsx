import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'

export const inputStyle =
  'w-full rounded-md border border-line-strong bg-panel px-2.5 text-sm text-ink transition-colors hover:border-ink-3 focus-visible:border-accent aria-invalid:border-error disabled:opacity-60'

export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input className={cn(inputStyle, 'h-8', className)} {...rest} />
)

export const Textarea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <textarea className={cn(inputStyle, 'min-h-20 py-1.5', className)} {...rest} />
)

/** The browser's own select: works everywhere, costs nothing. */
export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select className={cn(inputStyle, 'h-8 pr-7', className)} {...rest} />
)
