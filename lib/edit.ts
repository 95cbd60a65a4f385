// An edit describes a record without its values: by names, and keyed hashes that show whether two values are equal.

/** One named part of a record. Within a workspace, equal hashes mean equal values; a hash reveals nothing else. */
export type Fingerprint = { name: string; hash: string }

/** The state that an edit started from. The edit sends it back, and is refused if the state has changed since. */
export type EditSnapshot = {
  digest: string
  fingerprints: Fingerprint[]
  /** Hints for people; the digest decides. */
  updatedAt: string | null
  latestRevision: string | null
}

/** The hashes of one name in a conflict; null where it is missing. `mine` equals `base` if I did not change it. */
export type ConflictRow = { name: string; base: string | null; mine: string | null; theirs: string | null }

/** A conflict with another edit. `now` is the current state, which the next attempt starts from. */
export type EditConflict = { rows: ConflictRow[]; now: EditSnapshot }

/** The result of an edit. */
export type SavedEdit = {
  /** The revision that the edit created, if the server names one. */
  revision: string | null
  /** The state after the edit, for the next one. */
  snapshot: EditSnapshot
  /** Revisions that someone else created between our read and our write. Their changes may be overwritten. */
  overtaken?: string[]
  /** A message to show in addition to "saved". */
  note?: string
}

/** Compares three states by name, in the order of theirs, then base, then mine. */
export function conflictRows(
  base: readonly Fingerprint[],
  mine: readonly Fingerprint[],
  theirs: readonly Fingerprint[],
): ConflictRow[] {
  const [inBase, inMine, inTheirs] = [base, mine, theirs].map(
    (fingerprints) => new Map(fingerprints.map((one) => [one.name, one.hash])),
  )
  const names = new Set([...theirs, ...base, ...mine].map(({ name }) => name))
  return [...names].map((name) => ({
    name,
    base: inBase?.get(name) ?? null,
    mine: inMine?.get(name) ?? null,
    theirs: inTheirs?.get(name) ?? null,
  }))
}

/** Whether both sides changed this name to different values. */
export const isContested = ({ base, mine, theirs }: ConflictRow): boolean =>
  mine !== base && theirs !== base && mine !== theirs
