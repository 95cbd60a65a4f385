'use client'
import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'
import { reportSelected, reportTyped } from './report-typed'

export const inputStyle =
  'rounded-md border border-line-strong bg-panel px-2.5 text-ink base:w-full base:text-sm transition-colors hover:border-ink-3 focus-visible:border-accent aria-invalid:border-error disabled:opacity-60'

/** A field that is given a ref calls `reportTyped` by itself. */
export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input ref={reportTyped} className={cn(inputStyle, 'base:h-8', className)} {...rest} />
)

export const Textarea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <textarea ref={reportTyped} className={cn(inputStyle, 'py-1.5 base:min-h-20', className)} {...rest} />
)

/** A native select. Also reports a choice that was made before hydration. */
export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select ref={reportSelected} className={cn(inputStyle, 'pr-7 base:h-8', className)} {...rest} />
)
