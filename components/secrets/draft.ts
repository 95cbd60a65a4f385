import type { SecretChange } from '@/lib/contracts/deployments/secret-changes'
import type { EnvEntry } from '@/lib/format/dotenv'

/** The change to a stored secret. */
export type Edit = { value?: string; to?: string; isRemoved?: boolean }
/** A new secret. Two may share a name until the user resolves it. */
export type Added = { id: number; name: string; value: string; note?: string }
/** Unsent changes. Kept in memory only, because they hold values. */
export type Draft = { edits: Readonly<Record<string, Edit>>; added: readonly Added[] }

export const NO_DRAFT: Draft = { edits: {}, added: [] }

export const countOf = ({ edits, added }: Draft): number => Object.keys(edits).length + added.length

/** The draft with one secret's edit; an empty edit is removed. */
export function withEdit({ edits, added }: Draft, name: string, edit: Edit | undefined): Draft {
  const { [name]: _, ...rest } = edits
  const isEmpty = !edit || (edit.value === undefined && edit.to === undefined && !edit.isRemoved)
  return { edits: isEmpty ? rest : { ...rest, [name]: edit }, added }
}

let ids = 0
const nextId = () => ++ids

/**
 * Adds entries: a stored name gets the value, any other is added. A name that the draft already has is added twice and
 * flagged, until the user removes one.
 */
export function withEntries(
  draft: Draft,
  names: ReadonlySet<string>,
  entries: readonly Omit<EnvEntry, 'line'>[],
): Draft {
  let next = draft
  for (const { name, value, note } of entries) {
    const edit = Object.hasOwn(next.edits, name) ? next.edits[name] : undefined
    if (names.has(name) && edit?.value === undefined && edit?.to === undefined)
      next = withEdit(next, name, { value }) // overrides a removal: the last change wins
    else next = { ...next, added: [...next.added, { id: nextId(), name, value, ...(note !== undefined && { note }) }] }
  }
  return next
}

export const withoutAdded = (draft: Draft, id: number): Draft => ({
  ...draft,
  added: draft.added.filter((one) => one.id !== id),
})
export const withAdded = (draft: Draft, changed: Added): Draft => ({
  ...draft,
  added: draft.added.map((one) => (one.id === changed.id ? changed : one)),
})

/** The draft as a list of changes, given the stored names. Removals of secrets that no longer exist are dropped. */
export function changesOf({ edits, added }: Draft, names: ReadonlySet<string>): SecretChange[] {
  const changes = Object.entries(edits).flatMap(([name, { value, to, isRemoved }]): SecretChange[] => {
    if (isRemoved) return names.has(name) ? [{ kind: 'remove', name }] : []
    // Renamed but no longer stored: nobody has the value, and `planChanges` reports that.
    const move =
      to !== undefined && (names.has(name) || value === undefined) ? [{ kind: 'rename' as const, from: name, to }] : []
    return [...move, ...(value === undefined ? [] : [{ kind: 'set' as const, name: to ?? name, value }])]
  })
  return [...changes, ...added.map(({ name, value }) => ({ kind: 'set' as const, name, value }))]
}

/** The draft without any change to a name, so that theirs is kept. */
export function withTheirs({ edits, added }: Draft, name: string): Draft {
  const kept = Object.entries(edits).filter(([from, { to }]) => from !== name && to !== name)
  return { edits: Object.fromEntries(kept), added: added.filter((one) => one.name !== name) }
}

/** The draft's values, for the text mode. */
export function entriesOf({ edits, added }: Draft): { name: string; value: string }[] {
  const set = Object.entries(edits).flatMap(([name, { value, to }]) =>
    value === undefined ? [] : [{ name: to ?? name, value }],
  )
  return [...set, ...added.map(({ name, value }) => ({ name, value }))]
}

/** The draft with exactly these values; renames and removals stay. */
export function withText(draft: Draft, names: ReadonlySet<string>, entries: readonly EnvEntry[]): Draft {
  const moved = new Map(
    Object.entries(draft.edits).flatMap(([from, { to }]) => (to === undefined ? [] : [[to, from] as const])),
  )
  const bare = Object.entries(draft.edits).flatMap(([name, { to, isRemoved }]) =>
    to !== undefined || isRemoved
      ? [[name, { ...(to !== undefined && { to }), ...(isRemoved && { isRemoved }) }] as const]
      : [],
  )
  let next: Draft = { edits: Object.fromEntries(bare), added: [] }
  for (const entry of entries) {
    const from = moved.get(entry.name)
    const edit = from === undefined ? undefined : next.edits[from]
    if (from !== undefined && edit && edit.value === undefined)
      next = withEdit(next, from, { ...edit, value: entry.value })
    else next = withEntries(next, names, [entry])
  }
  return next
}
