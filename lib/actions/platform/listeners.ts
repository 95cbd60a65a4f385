'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as listeners from '@/lib/server/resources/listeners'

const text = z.string().min(1).max(300)
const NAMESPACE = 'Use up to 63 lowercase letters, digits and hyphens; start and end with a letter or digit.'
const Namespaces = z
  .array(z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, NAMESPACE))
  .max(100, 'Enter at most 100 namespaces.')
const Place = z.strictObject({ workspace: text, id: text })
const Create = z.strictObject({
  workspace: text,
  compute_id: z.string().trim().min(1, 'Enter a name.').max(100, 'Use at most 100 characters.'),
  namespaces: Namespaces,
})
const Save = z.strictObject({ ...Place.shape, namespaces: Namespaces, seen: z.array(z.string()).max(1_000) })

/** Creates a listener. `given.token` is shown only once. */
export async function createListener(
  given: z.input<typeof Create>,
): Promise<Result<Awaited<ReturnType<typeof listeners.createListener>>>> {
  return guardAction(async ({ actor }) => {
    const { compute_id: name, ...input } = parseInput(Create, given)
    return await listeners.createListener({ ...input, name }, actor)
  })
}

/** Changes where a listener may deploy. Fails with `conflict` if somebody else has changed it. */
export async function saveNamespaces(given: z.input<typeof Save>): Promise<Result<void>> {
  return guardAction(async ({ actor }) => await listeners.saveNamespaces(parseInput(Save, given), actor))
}

/** Replaces the token of a listener; the former one is refused at once. The new one is shown only once. */
export async function renewListenerToken(given: z.input<typeof Place>): Promise<Result<listeners.NewToken>> {
  return guardAction(async ({ actor }) => await listeners.renewToken(parseInput(Place, given), actor))
}

/** Ends a listener until it gets a new token. */
export async function revokeListenerToken(given: z.input<typeof Place>): Promise<Result<void>> {
  return guardAction(async ({ actor }) => await listeners.revokeToken(parseInput(Place, given), actor))
}

/** Refused by the control plane while deployments use it. */
export async function deleteListener(given: z.input<typeof Place>): Promise<Result<void>> {
  return guardAction(async ({ actor }) => await listeners.deleteListener(parseInput(Place, given), actor))
}
