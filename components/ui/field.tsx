import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

type FieldProps = {
  /** The id of the control inside, which the label, hint and error refer to. */
  id: string
  label: ReactNode
  hint?: ReactNode
  error?: string
  className?: string
  children: ReactNode
}

/** A labelled control. Pass `id` to the control, and `{...describedBy(id, error)}` if it has a hint or an error. */
export function Field({ id, label, hint, error, className, children }: FieldProps) {
  return (
    <div className={cn('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium text-ink text-xs">
        {label}
      </label>
      {children}
      {error ? (
        <p id={`${id}-error`} className="text-error text-xs" role="alert">
          {error}
        </p>
      ) : null}
      {hint ? (
        <p id={`${id}-hint`} className="text-ink-3 text-xs">
          {hint}
        </p>
      ) : null}
    </div>
  )
}

export const describedBy = (id: string, error?: string) => ({
  'aria-describedby': error ? `${id}-error ${id}-hint` : `${id}-hint`,
  'aria-invalid': error ? true : undefined,
})
