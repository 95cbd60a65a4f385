import { Button } from '@/components/ui/button'

type Props<T extends string> = {
  label: string
  value: T
  choices: readonly { value: T; label: string; name?: string }[]
  onChange: (value: T) => void
}

/** One choice of a few, all of them visible. `name` is for screen readers where the label is short. */
export const Chips = <T extends string>({ label, value, choices, onChange }: Props<T>) => (
  <fieldset className="inline-flex rounded-md border p-0.5">
    <legend className="sr-only">{label}</legend>
    {choices.map((one) => (
      <Button
        key={one.value}
        size="sm"
        variant="ghost"
        aria-pressed={value === one.value}
        aria-label={one.name}
        className="h-6 px-1.5 aria-pressed:bg-accent-soft aria-pressed:text-ink"
        onClick={() => onChange(one.value)}
      >
        {one.label}
      </Button>
    ))}
  </fieldset>
)

/** The lowest level to show; empty for all, of which DEBUG is the lowest. */
export const LEVELS = [
  { value: '', label: 'All', name: 'All levels' },
  { value: 'INFO', label: 'Info+', name: 'INFO and above' },
  { value: 'WARNING', label: 'Warning+', name: 'WARNING and above' },
  { value: 'ERROR', label: 'Error+', name: 'ERROR and above' },
  { value: 'CRITICAL', label: 'Critical', name: 'CRITICAL' },
] as const
