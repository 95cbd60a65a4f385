import { reportChosen } from '@/components/ui/report-typed'
import { cn } from '@/lib/cn'
import type { CreateValues, SectionProps } from './create-values'

const SOURCES: { value: CreateValues['source']; label: string; hint: string }[] = [
  { value: 'github', label: 'Git repository', hint: 'Builds from a branch or tag.' },
  {
    value: 'external_docker',
    label: 'Image',
    hint: 'Deploys an image that was built elsewhere.',
  },
]

/** The source, which decides the other fields of the form. */
export const SourceField = ({ values, issues, change }: SectionProps) => (
  <fieldset className="sm:col-span-2">
    <legend className="mb-1 font-medium text-xs">Source</legend>
    <div className="grid gap-2 sm:grid-cols-2">
      {SOURCES.map(({ value, label, hint }) => (
        <label
          key={value}
          className={cn(
            'flex cursor-pointer items-start gap-2 rounded-md border px-2.5 py-2 hover:bg-hover',
            values.source === value ? 'border-accent bg-accent-soft/60' : 'bg-panel',
          )}
        >
          <input
            ref={reportChosen}
            type="radio"
            name="source"
            className="mt-[3px] size-3.5 shrink-0 accent-accent"
            checked={values.source === value}
            onChange={() => change({ source: value })}
          />
          <span className="min-w-0">
            {label}
            <span className="block text-ink-3 text-xs">{hint}</span>
          </span>
        </label>
      ))}
    </div>
    {issues.source ? (
      <p role="alert" className="text-error text-xs">
        {issues.source}
      </p>
    ) : null}
  </fieldset>
)
