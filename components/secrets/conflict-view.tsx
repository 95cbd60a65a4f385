'use client'
import { BothChanges } from '@/components/shared/conflict/both-changes'
import { type ConflictRow, type EditConflict, isContested } from '@/lib/edit'
import { shortMark } from './rows'

type ConflictViewProps = {
  message: string
  conflict: EditConflict
  onCancel: () => void
  /** Goes on with their list; of the names given, theirs stands. */
  onDecide: (theirs: string[]) => void
}

/** My change of secrets and theirs, by name and fingerprint. */
export function ConflictView({ message, conflict, onCancel, onDecide }: ConflictViewProps) {
  const rows = conflict.rows.filter(({ base, mine, theirs }) => mine !== base || theirs !== base)
  const contested = rows.filter(isContested).length
  return (
    <BothChanges
      message={message}
      by="name"
      note={
        <p className="text-ink-2 text-sm">
          {contested === 0
            ? 'The two changes touch different secrets: together they lose nothing.'
            : `${contested} ${contested === 1 ? 'secret was' : 'secrets were'} changed by both. Decide whose value stands.`}
        </p>
      }
      rows={rows.map((row) => ({
        key: row.name,
        name: row.name,
        base: markWords(row.base, 'not there'),
        theirs: row.theirs === row.base ? 'unchanged' : markWords(row.theirs, 'removed'),
        mine: row.mine === row.base ? 'unchanged' : markWords(row.mine, 'removed'),
        fate: row.mine === row.base ? 'theirs' : row.mine === row.theirs ? 'same' : 'open',
      }))}
      goOn="Go on with their list"
      onCancel={onCancel}
      onDecide={(theirs) => onDecide([...theirs, ...sameNames(rows)])}
    />
  )
}

/** What both did alike needs no change any more. */
const sameNames = (rows: ConflictRow[]) =>
  rows.filter(({ base, mine, theirs }) => mine !== base && mine === theirs).map(({ name }) => name)

const markWords = (mark: string | null, none: string) =>
  mark === null ? none : mark === '' ? 'hidden' : <code className="font-mono">{shortMark(mark)}</code>
