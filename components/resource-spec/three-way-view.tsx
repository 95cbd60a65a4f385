'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { SpecPart } from './spec-part'
import type { Spec } from './spec-value'
import { type Choice, merged, type ThreeWay, threeWays } from './three-way'

type ThreeWayViewProps = {
  message: string
  base: Spec
  mine: Spec
  theirs: Spec
  onCancel: () => void
  /** Goes on with their spec and my changes on it. */
  onDecide: (draft: Spec) => void
}

/** My change and theirs side by side, field by field. Nothing is sent from here: what is decided becomes the draft. */
export function ThreeWayView({ message, base, mine, theirs, onCancel, onDecide }: ThreeWayViewProps) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({})
  const rows = threeWays(base, mine, theirs)
  const open = rows.filter(({ key, who }) => who === 'both' && !choices[key]).length
  return (
    <div className="flex flex-col gap-3">
      <ErrorNotice error={{ message }} />
      <ul aria-label="Both changes by field" className="flex flex-col gap-2">
        {rows.map((row) => (
          <li key={row.key} className="rounded-md border px-3 py-2">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <code className="min-w-0 flex-1 break-all font-medium font-mono text-xs">{row.key}</code>
              {row.who === 'both' ? (
                <Select
                  aria-label={`What becomes of ${row.key}`}
                  className="h-7 w-auto text-xs"
                  value={choices[row.key] ?? ''}
                  onChange={({ target }) => setChoices({ ...choices, [row.key]: target.value as Choice })}
                >
                  <option value="" disabled>
                    changed by both: decide
                  </option>
                  <option value="mine">keep mine</option>
                  <option value="theirs">take theirs</option>
                </Select>
              ) : (
                <span className="text-ink-3 text-xs">{WHO[row.who]}</span>
              )}
            </div>
            <dl className="mt-1 grid gap-2 sm:grid-cols-3">
              {(
                [
                  ['You saw', row.base],
                  ['Theirs', row.theirs],
                  ['Yours', row.mine],
                ] as const
              ).map(([label, value]) => (
                <div key={label} className="min-w-0">
                  <dt className="text-ink-3 text-xs">{label}</dt>
                  <dd>
                    <SpecPart value={value} />
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel, keep the draft</Button>
        <Button
          variant="primary"
          reason={open > 0 ? 'Decide first what becomes of the fields that both changed.' : undefined}
          onClick={() => onDecide(merged(base, mine, theirs, choices))}
        >
          Go on with both
        </Button>
      </div>
    </div>
  )
}

const WHO: Record<Exclude<ThreeWay['who'], 'both'>, string> = {
  me: 'only yours: kept',
  them: 'only theirs: kept',
  alike: 'the same in both',
}
