import { planChanges, type SecretChange } from '@/lib/contracts/deployments/secret-changes'
import type { SecretRow, SecretsView } from '@/lib/contracts/deployments/secrets-view'
import type { EditConflict } from '@/lib/edit'

/** Validation errors of a draft, by name. */
export function problemsOf(view: SecretsView, changes: readonly SecretChange[]): Map<string, string> {
  const { problems } = planChanges(
    view.rows.map(({ name }) => name),
    changes,
    view.source,
  )
  return new Map(problems.map(({ name, message }) => [name, message]))
}

/** The current list after a conflict, as the basis for the next attempt. */
export function viewAfter(view: SecretsView, { now }: EditConflict): SecretsView {
  const known = new Map(view.rows.map((row) => [row.name, row]))
  const rows = now.fingerprints.map(({ name, hash }): SecretRow => {
    const row = known.get(name)
    const isSame = row?.fingerprint === (hash || null)
    return { name, fingerprint: hash || null, isHidden: hash === '', changed: isSame ? (row?.changed ?? null) : null }
  })
  return { ...view, rows, snapshot: now }
}

/** A fingerprint for display: just long enough to tell two apart. */
export const shortHash = (hash: string): string => hash.slice(0, 8)
