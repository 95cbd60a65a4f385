import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'

export const inputStyle =
  'rounded-md border border-line-strong bg-panel px-2.5 text-ink base:w-full base:text-sm transition-colors hover:border-ink-3 focus-visible:border-accent aria-invalid:border-error disabled:opacity-60'

export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input className={cn(inputStyle, 'base:h-8', className)} {...rest} />
)

export const Textarea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <textarea className={cn(inputStyle, 'py-1.5 base:min-h-20', className)} {...rest} />
)

/** The browser's own select: works everywhere, costs nothing. */
export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select className={cn(inputStyle, 'pr-7 base:h-8', className)} {...rest} />
)
