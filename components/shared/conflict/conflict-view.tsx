'use client'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'

export type Side = 'mine' | 'theirs'

/** A field whose original, their and my values differ. */
export type ConflictRow = {
  key: string
  name: string
  base: ReactNode
  theirs: ReactNode
  mine: ReactNode
  /** Whose value stays; `choose`: the user decides. */
  keeps: Side | 'same' | 'choose'
}

type ConflictViewProps = {
  message: string
  note?: ReactNode
  rows: readonly ConflictRow[]
  /** The preselected side; without it the user must decide each row. */
  initial?: Side
  onCancel: () => void
  /** The keys of the rows that needed a decision, by chosen side. */
  onResolve: (keys: Record<Side, ReadonlySet<string>>) => void
}

/** My changes and theirs side by side. Nothing is sent: the result becomes the draft, which is reviewed again. */
export function ConflictView({ message, note, rows, initial, onCancel, onResolve }: ConflictViewProps) {
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({})
  const open = rows.filter(({ keeps }) => keeps === 'choose')
  const sideOf = (key: string) => chosen[key] ?? initial
  const keysOf = (side: Side) => new Set(open.map(({ key }) => key).filter((key) => sideOf(key) === side))
  const resultOf = (row: ConflictRow) => (
    <Result row={row} side={sideOf(row.key)} onChoose={(side) => setChosen({ ...chosen, [row.key]: side })} />
  )
  return (
    <div className="flex flex-col gap-3">
      <ErrorNotice error={{ message }} />
      {note}
      <Rows rows={rows} resultOf={resultOf} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          variant="primary"
          reason={open.every(({ key }) => sideOf(key)) ? undefined : 'Choose a side for every field that both changed.'}
          onClick={() => onResolve({ mine: keysOf('mine'), theirs: keysOf('theirs') })}
        >
          Merge into draft
        </Button>
      </div>
    </div>
  )
}

const RESULTS = { mine: 'Yours is kept', theirs: 'Theirs is kept', same: 'Same change' }
const SIDES = [
  ['base', 'Original'],
  ['theirs', 'Theirs'],
  ['mine', 'Yours'],
] as const

type ResultProps = { row: ConflictRow; side: Side | undefined; onChoose: (side: Side) => void }

const Result = ({ row: { name, keeps }, side, onChoose }: ResultProps) =>
  keeps === 'choose' ? (
    <Select
      aria-label={`Resolve ${name}`}
      className="h-7 w-auto text-xs"
      value={side ?? ''}
      onChange={({ target }) => onChoose(target.value as Side)} // one of the options below
    >
      {side ? null : (
        <option value="" disabled>
          Changed by both: choose
        </option>
      )}
      <option value="mine">Keep mine</option>
      <option value="theirs">Take theirs</option>
    </Select>
  ) : (
    RESULTS[keeps]
  )

type RowsProps = { rows: readonly ConflictRow[]; resultOf: (row: ConflictRow) => ReactNode }

const Rows = ({ rows, resultOf }: RowsProps) => (
  <ul aria-label="Conflicting changes" className="flex flex-col gap-2">
    {rows.map((row) => (
      <li key={row.key} className="rounded-md border px-3 py-2">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <code className="min-w-0 flex-1 break-all font-medium font-mono text-xs">
            <VisibleText>{row.name}</VisibleText>
          </code>
          {row.keeps === 'choose' ? resultOf(row) : <span className="text-ink-3 text-xs">{resultOf(row)}</span>}
        </div>
        <dl className="mt-1 grid gap-2 sm:grid-cols-3">
          {SIDES.map(([side, label]) => (
            <div key={side} className="min-w-0">
              <dt className="text-ink-3 text-xs">{label}</dt>
              <dd className="break-words text-xs">{row[side]}</dd>
            </div>
          ))}
        </dl>
      </li>
    ))}
  </ul>
)
