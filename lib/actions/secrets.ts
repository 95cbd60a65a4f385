'use server'
import { z } from 'zod'
import { MAX_SECRETS } from '@/lib/contracts/deployments/secret-changes'
import type { SecretsView } from '@/lib/contracts/deployments/secrets-view'
import type { SavedEdit } from '@/lib/edit'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { editSecrets } from '@/lib/server/edits/edit-secrets'
import { Snapshot } from '@/lib/server/edits/fingerprints'
import { readSecrets } from '@/lib/server/edits/read-secrets'
import { parseInput } from '@/lib/server/process/result'

const text = z.string().min(1).max(300)
const SecretName = z.string().min(1).max(1_000)
const Change = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('set'), name: SecretName, value: z.string() }),
  z.strictObject({ kind: z.literal('remove'), name: SecretName }),
  z.strictObject({ kind: z.literal('rename'), from: SecretName, to: SecretName }),
])
const Place = z.strictObject({ workspace: text, deploymentId: text })
const Edit = z.strictObject({
  place: Place,
  key: z.string().min(8).max(100),
  snapshot: Snapshot,
  changes: z
    .array(Change)
    .min(1)
    .max(2 * MAX_SECRETS),
  mayReplaceUnknown: z.boolean().optional(),
})
export type SaveSecretsInput = z.input<typeof Edit>

/** Saves a reviewed change set. A `conflict` has the three-way view; `view` is null if it could not be read afterwards. */
export async function saveSecrets(given: SaveSecretsInput): Promise<Result<SavedEdit & { view: SecretsView | null }>> {
  return guardAction(async ({ actor }) => {
    const edit = parseInput(Edit, given)
    const saved = await editSecrets({ ...edit, actor })
    return { ...saved, view: await readSecrets(edit.place, actor).catch(() => null) }
  })
}
