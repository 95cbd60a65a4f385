'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { VisibleText } from '@/components/shared/visible-text'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { type ConflictRow, type EditConflict, isContested } from '@/lib/edit'
import { shortMark } from './rows'

type ConflictViewProps = {
  message: string
  conflict: EditConflict
  onCancel: () => void
  /** Goes on with their list; of the names given, theirs stands. */
  onDecide: (theirs: string[]) => void
}

/** My change and theirs side by side, by name. Nothing is sent from here: what is decided becomes the draft, and is reviewed again. */
export function ConflictView({ message, conflict, onCancel, onDecide }: ConflictViewProps) {
  const rows = conflict.rows.filter(({ base, mine, theirs }) => mine !== base || theirs !== base)
  const [theirs, setTheirs] = useState<readonly string[]>([])
  const choose = (name: string, isTheirs: boolean) =>
    setTheirs((names) => (isTheirs ? [...names, name] : names.filter((one) => one !== name)))
  const contested = rows.filter(isContested).length
  return (
    <div className="flex flex-col gap-3">
      <ErrorNotice error={{ message }} />
      <p className="text-ink-2 text-sm">
        {contested === 0
          ? 'The two changes touch different secrets: together they lose nothing.'
          : `${contested} ${contested === 1 ? 'secret was' : 'secrets were'} changed by both. Decide whose value stands.`}
      </p>
      <div className="overflow-x-auto rounded-lg border">
        <table aria-label="Both changes by name" className="w-full border-collapse text-left text-xs">
          <thead className="text-ink-3">
            <tr className="[&>th]:bg-sunken [&>th]:px-2.5 [&>th]:py-1.5 [&>th]:font-medium">
              <th scope="col">Name</th>
              <th scope="col">You saw</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
              <th scope="col">Then</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name} className="border-t [&>td]:px-2.5 [&>td]:py-1.5">
                <td className="max-w-48 break-all font-mono">
                  <VisibleText>{row.name}</VisibleText>
                </td>
                <td>{markWords(row.base, 'not there')}</td>
                <td>{row.theirs === row.base ? 'unchanged' : markWords(row.theirs, 'removed')}</td>
                <td>{row.mine === row.base ? 'unchanged' : markWords(row.mine, 'removed')}</td>
                <td>
                  {row.mine === row.base ? (
                    'theirs stays'
                  ) : row.mine === row.theirs ? (
                    'the same'
                  ) : (
                    <Select
                      aria-label={`What becomes of ${row.name}`}
                      className="h-7 w-auto text-xs"
                      value={theirs.includes(row.name) ? 'theirs' : 'mine'}
                      onChange={(event) => choose(row.name, event.target.value === 'theirs')}
                    >
                      <option value="mine">keep mine</option>
                      <option value="theirs">take theirs</option>
                    </Select>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel, keep the draft</Button>
        <Button variant="primary" onClick={() => onDecide([...theirs, ...sameNames(rows)])}>
          Go on with their list
        </Button>
      </div>
    </div>
  )
}

/** What both did alike needs no change any more. */
const sameNames = (rows: ConflictRow[]) =>
  rows.filter(({ base, mine, theirs }) => mine !== base && mine === theirs).map(({ name }) => name)

const markWords = (mark: string | null, none: string) =>
  mark === null ? none : mark === '' ? 'hidden' : <code className="font-mono">{shortMark(mark)}</code>
