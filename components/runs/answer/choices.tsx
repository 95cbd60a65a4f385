import { VisibleText } from '@/components/shared/text/visible-text'
import { Kbd } from '@/components/ui/kbd'
import { cn } from '@/lib/cn'

type Props<T extends string> = {
  /** Unique on the page. */
  name: string
  legend: string
  options: readonly { value: T; label: string }[]
  value: T | undefined
  onChange: (value: T) => void
  /** A key answers with each of the first ones. */
  hasKeys?: boolean
}

/** 1 to 9. */
export const keyOfChoice = (at: number): string | undefined => (at < 9 ? String(at + 1) : undefined)

/** A radio group in one row. */
export const Choices = <T extends string>({ name, legend, options, value, onChange, hasKeys }: Props<T>) => (
  <fieldset className="flex flex-wrap gap-1.5">
    <legend className="sr-only">{legend}</legend>
    {options.map((option, at) => (
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
          aria-keyshortcuts={hasKeys ? keyOfChoice(at) : undefined}
          checked={value === option.value}
          onChange={() => onChange(option.value)}
        />
        <span className="min-w-0 break-words">
          <VisibleText>{option.label}</VisibleText>
        </span>
        {hasKeys && keyOfChoice(at) ? (
          <span aria-hidden title="Answers at once">
            <Kbd>{keyOfChoice(at)}</Kbd>
          </span>
        ) : null}
      </label>
    ))}
  </fieldset>
)
