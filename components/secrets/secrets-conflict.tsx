'use client'
import { ConflictView } from '@/components/shared/conflict/conflict-view'
import { type EditConflict, isContested } from '@/lib/edit'
import { shortHash } from './rows'

type SecretsConflictProps = {
  message: string
  conflict: EditConflict
  onCancel: () => void
  /** Continues with their list; of the names given, theirs stays. */
  onResolve: (theirs: string[]) => void
}

/** My change of secrets and theirs, by name and fingerprint. */
export function SecretsConflict({ message, conflict, onCancel, onResolve }: SecretsConflictProps) {
  const rows = conflict.rows.filter(({ base, mine, theirs }) => mine !== base || theirs !== base)
  const contested = rows.filter(isContested).length
  // A change that both made alike needs no edit any more.
  const same = rows.filter(({ base, mine, theirs }) => mine !== base && mine === theirs).map(({ name }) => name)
  return (
    <ConflictView
      message={message}
      note={
        <p className="text-ink-2 text-sm">
          {contested === 0
            ? 'You changed different secrets: merging keeps both changes.'
            : `${contested} ${contested === 1 ? 'secret was' : 'secrets were'} changed by both. Choose which value to keep.`}
        </p>
      }
      rows={rows.map((row) => ({
        key: row.name,
        name: row.name,
        base: fingerprint(row.base, 'not set'),
        theirs: row.theirs === row.base ? 'unchanged' : fingerprint(row.theirs, 'removed'),
        mine: row.mine === row.base ? 'unchanged' : fingerprint(row.mine, 'removed'),
        keeps: row.mine === row.base ? 'theirs' : row.mine === row.theirs ? 'same' : 'choose',
      }))}
      initial="mine"
      onCancel={onCancel}
      onResolve={({ theirs }) => onResolve([...theirs, ...same])}
    />
  )
}

const fingerprint = (hash: string | null, none: string) =>
  hash === null ? none : hash === '' ? 'hidden' : <code className="font-mono">{shortHash(hash)}</code>
