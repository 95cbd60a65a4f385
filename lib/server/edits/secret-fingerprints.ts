import 'server-only'
import { hiddenPlaces } from '@/lib/contracts/deployments/secret-masks'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { fingerprintOf, snapshotOf } from './fingerprints'
import type { RawDeployment } from './raw-deployment'

/** Replaces the hash of a value that the server hides. */
export const HIDDEN = ''

// Detected masks: texts that a server returned for values that it had been sent.
const shared = globalThis as { pilothouseMasks?: Map<string, Set<string>> }
const MOST = 500

export function rememberMask({ workspace }: DeploymentPlace, text: string): void {
  shared.pilothouseMasks ??= new Map()
  const known = shared.pilothouseMasks.get(workspace) ?? new Set()
  if (known.size < MOST) known.add(fingerprintOf(workspace, text))
  shared.pilothouseMasks.set(workspace, known)
}
const isKnownMask = (workspace: string) => {
  const known = shared.pilothouseMasks?.get(workspace)
  return (value: string) => known?.has(fingerprintOf(workspace, value)) ?? false
}

/** The indexes of secrets whose values are hidden. */
export const hiddenOf = ({ workspace }: DeploymentPlace, { secrets }: RawDeployment): Set<number> =>
  hiddenPlaces(secrets ?? [], isKnownMask(workspace))

/** The secrets as a user sees them now. If values are hidden, the revision is included as the only sign of a change. */
export const secretsSnapshot = (place: DeploymentPlace) => (raw: RawDeployment) => {
  const hidden = hiddenOf(place, raw)
  const fingerprints = (raw.secrets ?? []).map(({ name, value }, index) => ({
    name,
    hash: hidden.has(index) ? HIDDEN : fingerprintOf(place.workspace, value),
  }))
  const snapshot = snapshotOf(place.workspace, raw, fingerprints)
  const isBlind = hidden.size > 0 || raw.secrets === null
  return isBlind
    ? { ...snapshot, digest: fingerprintOf(place.workspace, [snapshot.digest, raw.latestRevision]) }
    : snapshot
}
