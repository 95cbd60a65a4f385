import type { Change } from '@/lib/contracts/deployments/changes'

export type SecretChange = { name: string; verb: 'set' | 'removed' | 'renamed'; who: string; at: string }

const EDIT = /^secrets\.(set|remove|renamed-from|renamed-to)\.(.+)$/s

/**
 * The secrets that this console changed after a time: the last change of each, newest first. Null where names are hidden from
 * the reader, though some changed.
 */
export function secretChangesSince(changes: readonly Change[], since: string): SecretChange[] | null {
  const later = changes
    .filter(
      ({ operation, isDone, at }) => operation === 'updateDeployment' && isDone && Date.parse(at) > Date.parse(since),
    )
    .toSorted((a, b) => b.seq - a.seq)
  if (later.some(({ fields }) => fields.includes('secrets') && !fields.some((field) => EDIT.test(field)))) return null
  const found = new Map<string, SecretChange>()
  for (const { fields, who, at } of later)
    for (const field of fields) {
      const [, kind, name] = EDIT.exec(field) ?? []
      if (!kind || !name || found.has(name)) continue
      found.set(name, { name, who, at, verb: kind === 'set' ? 'set' : kind === 'remove' ? 'removed' : 'renamed' })
    }
  return [...found.values()]
}
