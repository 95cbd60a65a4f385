// What an edit of a record says of it without holding it: names, and keyed fingerprints that tell whether two values are the same.

/** One part of a record by name. Equal marks stand for equal values, within one workspace; a mark tells nothing else. */
export type Fingerprint = { name: string; mark: string }

/** What a person saw when they began to edit. It is sent back with the edit, which is refused where it is not there any more. */
export type LastSeen = {
  digest: string
  marks: Fingerprint[]
  /** Hints for people; the digest decides. */
  updatedAt: string | null
  latestRevision: string | null
}

/** One name in an edit that met another one; null where it is not there. Untouched by me: `mine` equals `base`. */
export type ConflictRow = { name: string; base: string | null; mine: string | null; theirs: string | null }

/** Mine, theirs and what both began with; `now` is what the next try has to have seen. */
export type EditConflict = { rows: ConflictRow[]; now: LastSeen }

/** What came of an edit. */
export type SavedEdit = {
  /** The revision that it made, as far as the server names one. */
  revision: string | null
  /** What is there now, for the next edit. */
  seen: LastSeen
  /** Revisions that somebody else made between the last reading and this edit: what they changed of it is overwritten. */
  overtaken?: string[]
  /** What there is to say in addition to "saved". */
  note?: string
}

/** The rows of two or three states of the same names, in the order of theirs, then base, then mine. */
export function conflictRows(
  base: readonly Fingerprint[],
  mine: readonly Fingerprint[],
  theirs: readonly Fingerprint[],
): ConflictRow[] {
  const [inBase, inMine, inTheirs] = [base, mine, theirs].map(
    (marks) => new Map(marks.map((one) => [one.name, one.mark])),
  )
  const names = new Set([...theirs, ...base, ...mine].map(({ name }) => name))
  return [...names].map((name) => ({
    name,
    base: inBase?.get(name) ?? null,
    mine: inMine?.get(name) ?? null,
    theirs: inTheirs?.get(name) ?? null,
  }))
}

/** Whether both sides changed this name, to different things. */
export const isContested = ({ base, mine, theirs }: ConflictRow): boolean =>
  mine !== base && theirs !== base && mine !== theirs
