'use client'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'

export type BothChangesRow = {
  key: string
  name: string
  base: ReactNode
  theirs: ReactNode
  mine: ReactNode
  /** Theirs stands where only they changed it, or both alike; else it is for the person to decide. */
  fate: 'theirs' | 'same' | 'open'
}

type BothChangesProps = {
  message: string
  /** What the rows are: "name", "setting". */
  by: string
  rows: readonly BothChangesRow[]
  note?: ReactNode
  goOn: string
  onCancel: () => void
  /** Goes on with what is there now; of the keys given, theirs stands. */
  onDecide: (theirs: string[]) => void
}

/** My change and theirs side by side. Nothing is sent from here: what is decided becomes the draft, and is reviewed again. */
export function BothChanges({ message, by, rows, note, goOn, onCancel, onDecide }: BothChangesProps) {
  const [theirs, setTheirs] = useState<readonly string[]>([])
  const choose = (key: string, isTheirs: boolean) =>
    setTheirs((keys) => (isTheirs ? [...keys, key] : keys.filter((one) => one !== key)))
  return (
    <div className="flex flex-col gap-3">
      <ErrorNotice error={{ message }} />
      {note}
      <div className="overflow-x-auto rounded-lg border">
        <table aria-label={`Both changes by ${by}`} className="w-full border-collapse text-left text-xs">
          <thead className="text-ink-3">
            <tr className="[&>th]:bg-sunken [&>th]:px-2.5 [&>th]:py-1.5 [&>th]:font-medium">
              <th scope="col" className="capitalize">
                {by}
              </th>
              <th scope="col">You saw</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
              <th scope="col">Then</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key} className="border-t [&>td]:break-all [&>td]:px-2.5 [&>td]:py-1.5">
                <th scope="row" className="max-w-48 break-all px-2.5 py-1.5 font-medium">
                  <VisibleText>{row.name}</VisibleText>
                </th>
                <td>{row.base}</td>
                <td>{row.theirs}</td>
                <td>{row.mine}</td>
                <td>
                  {row.fate === 'open' ? (
                    <Select
                      aria-label={`What becomes of ${row.name}`}
                      className="h-7 w-auto text-xs"
                      value={theirs.includes(row.key) ? 'theirs' : 'mine'}
                      onChange={(event) => choose(row.key, event.target.value === 'theirs')}
                    >
                      <option value="mine">keep mine</option>
                      <option value="theirs">take theirs</option>
                    </Select>
                  ) : row.fate === 'same' ? (
                    'the same'
                  ) : (
                    'theirs stays'
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel, keep the draft</Button>
        <Button variant="primary" onClick={() => onDecide([...theirs])}>
          {goOn}
        </Button>
      </div>
    </div>
  )
}
