'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { jsonText, pathText } from '@/components/shared/json-value'
import { LongText } from '@/components/shared/long-text'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Select } from '@/components/ui/input'
import type { AssistantDraft } from '@/lib/contracts/assistant-edit'
import { mergedDraft, placeName, type ThreeWay, threeWays } from './draft'

type Props = {
  message: string
  base: AssistantDraft
  mine: AssistantDraft
  theirs: AssistantDraft
  onCancel: () => void
  /** Goes on with theirs and my changes on it. */
  onDecide: (draft: AssistantDraft) => void
}

/** My change and theirs side by side, key by key. Nothing is sent from here: what is decided becomes the draft. */
export function ConflictDialog({ message, base, mine, theirs, onCancel, onDecide }: Props) {
  const [choices, setChoices] = useState<Readonly<Record<string, 'mine' | 'theirs'>>>({})
  const rows = threeWays(base, mine, theirs)
  const open = rows.filter(({ who, path }) => who === 'both' && !choices[placeName(path)]).length
  const decide = () => {
    const kept = new Set(Object.keys(choices).filter((place) => choices[place] === 'mine'))
    onDecide(mergedDraft(rows, theirs, kept))
  }
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onCancel()
      }}
      title="Somebody else changed this assistant"
      className="base:w-[min(56rem,calc(100vw-2rem))]"
    >
      <div className="flex flex-col gap-3">
        <ErrorNotice error={{ message }} />
        <ul aria-label="Both changes by field" className="flex flex-col gap-2">
          {rows.map((row) => (
            <li key={placeName(row.path)} className="rounded-md border px-3 py-2">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <code className="min-w-0 flex-1 break-all font-medium font-mono text-xs">{pathText(row.path)}</code>
                {row.who === 'both' ? (
                  <Select
                    aria-label={`What becomes of ${pathText(row.path)}`}
                    className="h-7 w-auto text-xs"
                    value={choices[placeName(row.path)] ?? ''}
                    onChange={({ target }) =>
                      setChoices({ ...choices, [placeName(row.path)]: target.value as 'mine' | 'theirs' })
                    }
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
                    <dd className="font-mono text-xs">
                      {value === undefined ? (
                        <span className="text-ink-3">not there</span>
                      ) : (
                        <LongText
                          text={typeof value === 'string' ? value : jsonText(value)}
                          limit={1_000}
                          className="max-h-40 overflow-auto"
                        />
                      )}
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
            onClick={decide}
          >
            Go on with both
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const WHO: Record<Exclude<ThreeWay['who'], 'both'>, string> = {
  me: 'only yours: kept',
  them: 'only theirs: kept',
  alike: 'the same in both',
}
