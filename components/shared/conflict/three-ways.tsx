'use client'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'

/** A field that is not the same in all three: what both began with, what is there now, and the draft. */
export type ThreeWaysRow = {
  key: string
  name: string
  base: ReactNode
  theirs: ReactNode
  mine: ReactNode
  who: 'me' | 'them' | 'both' | 'alike'
}

type Props = {
  message: string
  rows: readonly ThreeWaysRow[]
  onCancel: () => void
  /** Goes on with theirs and my changes on it; `mine` are the keys that both changed and where mine stands. */
  onDecide: (mine: ReadonlySet<string>) => void
}

/**
 * My change and theirs side by side, field by field: for values too long for a table (`BothChanges`). Nothing is sent from
 * here: what is decided becomes the draft.
 */
export function ThreeWays({ message, rows, onCancel, onDecide }: Props) {
  const [choices, setChoices] = useState<Readonly<Record<string, string>>>({})
  const open = rows.filter(({ who, key }) => who === 'both' && !choices[key]).length
  return (
    <div className="flex flex-col gap-3">
      <ErrorNotice error={{ message }} />
      <ul aria-label="Both changes by field" className="flex flex-col gap-2">
        {rows.map(({ key, name, who, ...values }) => (
          <li key={key} className="rounded-md border px-3 py-2">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <code className="min-w-0 flex-1 break-all font-medium font-mono text-xs">
                <VisibleText>{name}</VisibleText>
              </code>
              {who === 'both' ? (
                <Select
                  aria-label={`What becomes of ${name}`}
                  className="h-7 w-auto text-xs"
                  value={choices[key] ?? ''}
                  onChange={({ target }) => setChoices({ ...choices, [key]: target.value })}
                >
                  <option value="" disabled>
                    changed by both: decide
                  </option>
                  <option value="mine">keep mine</option>
                  <option value="theirs">take theirs</option>
                </Select>
              ) : (
                <span className="text-ink-3 text-xs">{WHO[who]}</span>
              )}
            </div>
            <dl className="mt-1 grid gap-2 sm:grid-cols-3">
              {SIDES.map(([side, label]) => (
                <div key={side} className="min-w-0">
                  <dt className="text-ink-3 text-xs">{label}</dt>
                  <dd>{values[side]}</dd>
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
          onClick={() => onDecide(new Set(Object.keys(choices).filter((key) => choices[key] === 'mine')))}
        >
          Go on with both
        </Button>
      </div>
    </div>
  )
}

const SIDES = [
  ['base', 'You saw'],
  ['theirs', 'Theirs'],
  ['mine', 'Yours'],
] as const
const WHO: Record<Exclude<ThreeWaysRow['who'], 'both'>, string> = {
  me: 'only yours: kept',
  them: 'only theirs: kept',
  alike: 'the same in both',
}
