import type { ComponentProps, ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { reportChosen } from './report-typed'

/** A checkbox with a label and a description. */
export const Checkbox = ({
  label,
  hint,
  className,
  ...rest
}: ComponentProps<'input'> & { label: ReactNode; hint?: ReactNode }) => (
  <label className={cn('flex items-start gap-2 text-sm', className)}>
    <input ref={reportChosen} type="checkbox" className="mt-[3px] size-3.5 shrink-0 accent-accent" {...rest} />
    <span className="min-w-0">
      {label}
      {hint ? <span className="block text-ink-3 text-xs">{hint}</span> : null}
    </span>
  </label>
)
