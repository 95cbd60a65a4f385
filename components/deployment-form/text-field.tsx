'use client'
import type { ComponentProps, ReactNode } from 'react'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'

type TextFieldProps = Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'> & {
  id: string
  label: string
  value: string
  hint?: ReactNode
  error?: string
  onChange: (value: string) => void
}

/** A text input with label, hint and error. */
export const TextField = ({ id, label, hint, error, value, onChange, className, ...rest }: TextFieldProps) => (
  <Field id={id} label={label} hint={hint} error={error} className={className}>
    <Input
      id={id}
      value={value}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
      {...describedBy(id, error)}
      {...rest}
    />
  </Field>
)

/** A section of the form. */
export const Section = ({ title, children, hint }: { title: string; children: ReactNode; hint?: ReactNode }) => (
  <section aria-label={title} className="rounded-lg border bg-panel p-4">
    <h2 className="font-semibold text-base">{title}</h2>
    {hint ? <p className="mt-0.5 text-ink-3 text-xs">{hint}</p> : null}
    <div className="mt-3 grid gap-x-4 gap-y-3.5 sm:grid-cols-2">{children}</div>
  </section>
)
