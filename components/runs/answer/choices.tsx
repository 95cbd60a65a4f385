import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'

type Props<T extends string> = {
  /** Unique on the page. */
  name: string
  legend: string
  options: readonly { value: T; label: string }[]
  value: T | undefined
  onChange: (value: T) => void
}

/** A radio group in one row. */
export const Choices = <T extends string>({ name, legend, options, value, onChange }: Props<T>) => (
  <fieldset className="flex flex-wrap gap-1.5">
    <legend className="sr-only">{legend}</legend>
    {options.map((option) => (
      <label
        key={option.value}
        className={cn(
          'inline-flex max-w-full cursor-pointer items-center gap-1.5 rounded-md border px-2.5 py-1 text-sm hover:bg-hover',
          value === option.value ? 'border-accent bg-accent-soft' : 'border-line-strong bg-panel',
        )}
      >
        <input
          type="radio"
          name={name}
          className="size-3.5 shrink-0 accent-accent"
          checked={value === option.value}
          onChange={() => onChange(option.value)}
        />
        <span className="min-w-0 break-words">
          <VisibleText>{option.label}</VisibleText>
        </span>
      </label>
    ))}
  </fieldset>
)
