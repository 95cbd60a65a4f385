import 'server-only'
import { isDeepStrictEqual } from 'node:util'
import { type ChangePlan, planChanges, type SecretChange } from '@/lib/contracts/deployments/secret-changes'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { EditSnapshot, Fingerprint, SavedEdit } from '@/lib/edit'
import { AppError } from '@/lib/errors'
import { fingerprintOf } from './fingerprints'
import type { EditOptions, RawDeployment, RawSecret } from './raw-deployment'
import { type EditPlan, editRaw } from './raw-edit'
import { areSecretsThere } from './saved-check'
import { HIDDEN, hiddenOf, secretsSnapshot } from './secret-fingerprints'

export type SecretsEdit = EditOptions & {
  place: DeploymentPlace
  /** The idempotency key, created once per review: a repeat gets the first result. */
  key: string
  snapshot: EditSnapshot
  changes: SecretChange[]
  /** Confirms that these changes become the whole list where the server does not list the secrets. */
  mayReplaceUnknown?: boolean
}

/**
 * Changes a deployment's secrets. An update sends the whole list, with unchanged values exactly as the server returned
 * them.
 * @throws AppError conflict with the three-way view if the list differs from `snapshot`, and invalid if the server
 * masks a value that must be sent again
 */
export async function editSecrets(edit: SecretsEdit): Promise<SavedEdit> {
  const { place, snapshot, changes, mayReplaceUnknown = false } = edit
  return await editRaw({
    ...edit,
    input: { changes, mayReplaceUnknown },
    takeSnapshot: secretsSnapshot(place),
    plan: (raw) => planOf(edit, raw),
    mine: () => minesOf(place.workspace, snapshot.fingerprints, changes),
  })
}

function planOf({ place, changes, mayReplaceUnknown }: SecretsEdit, raw: RawDeployment): EditPlan {
  if (!raw.secrets && !mayReplaceUnknown)
    throw new AppError(
      'invalid',
      "The server does not list this deployment's secrets, and an update replaces them all. Nothing was sent. Confirm in the review that your list replaces all of them.",
    )
  const before = raw.secrets ?? []
  const plan = planChanges(
    before.map(({ name }) => name),
    changes,
    raw.source,
  )
  refuseProblems(plan)
  const secrets = sentList(plan, before, hiddenOf(place, raw))
  return {
    body: { secrets },
    fields: ['secrets', ...changes.flatMap(fieldsOf)],
    isNothing: isDeepStrictEqual(
      secrets,
      raw.secrets?.map(({ name, value }) => ({ name, value })),
    ),
    isThere: (now) => areSecretsThere(place, now, secrets, changes),
    unconfirmedNote: 'The server does not show the values, so only the names could be checked.',
  }
}

function refuseProblems({ problems }: ChangePlan): void {
  if (problems.length === 0) return
  throw new AppError('invalid', 'Some secrets cannot be saved like this. Nothing was sent.', {
    fields: problems.map(({ name, message }) => ({ path: ['secrets', name], message })),
  })
}

function sentList(plan: ChangePlan, before: readonly RawSecret[], hidden: ReadonlySet<number>) {
  const unknown: string[] = []
  const secrets = plan.places.map(({ name, index, value }) => {
    if (value !== undefined) return { name, value }
    const kept = index === undefined || hidden.has(index) ? null : before[index]?.value
    if (kept === null || kept === undefined) unknown.push(name)
    return { name, value: kept ?? '' }
  })
  if (unknown.length === 0) return secrets
  throw new AppError(
    'invalid',
    `The server hides the values of ${unknown.length === 1 ? 'an unchanged secret' : `${unknown.length} unchanged secrets`}, but an update must send every value again, and masks would overwrite them. Nothing was sent. Enter new values for them, or remove them.`,
    { fields: unknown.map((name) => ({ path: ['secrets', name], message: 'Its value is hidden by the server' })) },
  )
}

function fieldsOf(change: SecretChange): string[] {
  if (change.kind === 'rename') return [`secrets.renamed-from.${change.from}`, `secrets.renamed-to.${change.to}`]
  return [`secrets.${change.kind}.${change.name}`]
}

/** Applies the changes to the list that the user saw. Problems are reported when the edit is sent. */
function minesOf(workspace: string, snapshot: readonly Fingerprint[], changes: readonly SecretChange[]): Fingerprint[] {
  const { places } = planChanges(
    snapshot.map(({ name }) => name),
    changes,
  )
  return places.map(({ name, index, value }) => ({
    name,
    hash:
      value !== undefined
        ? fingerprintOf(workspace, value)
        : ((index === undefined ? undefined : snapshot[index]?.hash) ?? HIDDEN),
  }))
}
