'use server'
import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import { SETTINGS } from '@/lib/contracts/deployments/deployment-settings'
import type { SavedEdit } from '@/lib/edit'
import { AppError, type Result } from '@/lib/errors'
import { parseJson } from '@/lib/json/lossless'
import { guardAction } from '@/lib/server/audit/guard-action'
import { Snapshot } from '@/lib/server/edits/fingerprints'
import { askAgain } from '@/lib/server/process/answers'
import { parseInput } from '@/lib/server/process/result'
import * as create from '@/lib/server/resources/deployment-create'
import * as remove from '@/lib/server/resources/deployment-delete'
import * as settings from '@/lib/server/resources/deployment-settings'
import { authorize } from '@/lib/server/upstream/call-context'

const name = z.string().min(1).max(300)
/** The idempotency key, created once per submitted form: a repeat gets the first result. */
const key = z.string().min(8).max(100)

/** `body` is JSON text, so that numbers in a resource spec stay exactly as typed. */
const Create = z.strictObject({ workspace: name, key, body: z.string().max(16_000_000) })

/** Creates a deployment, never two with one name. */
export async function createDeployment(given: z.input<typeof Create>): Promise<Result<create.CreatedDeployment>> {
  return guardAction(async ({ actor }) => {
    const { body, ...rest } = parseInput(Create, given)
    return await create.createDeployment({ ...rest, body: bodyOf(body) }, { actor })
  })
}

function bodyOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // Without the cause, because its message quotes the text and may contain a secret.
    throw new AppError('invalid', 'The request is not valid JSON.')
  }
}

const Place = z.strictObject({ workspace: name, deploymentId: name })

/** A deployment's current settings, for users who may change them. */
export async function readSettings(given: z.input<typeof Place>): Promise<Result<settings.SettingsView>> {
  return guardAction(async ({ actor }) => await settings.readSettings(parseInput(Place, given), actor))
}

const Edit = z.strictObject({
  place: Place,
  key,
  snapshot: Snapshot,
  change: z.partialRecord(z.enum(SETTINGS), z.union([z.string().max(10_000), z.boolean()])),
})

/** Saves reviewed settings. Fails with `conflict` if somebody else has changed them. */
export async function saveSettings(given: z.input<typeof Edit>): Promise<Result<SavedEdit>> {
  return guardAction(async ({ actor }) => await settings.saveSettings(parseInput(Edit, given), actor))
}

const Delete = z.strictObject({ ...Place.shape, key, name: z.string().max(1_000), deletesTracingProject: z.boolean() })

/** Deletes a deployment after its name was typed to confirm. */
export async function deleteDeployment(given: z.input<typeof Delete>): Promise<Result<{ note?: string }>> {
  return guardAction(async ({ actor }) => await remove.deleteDeployment(parseInput(Delete, given), actor))
}

const Servers = z.strictObject({ workspace: name })

/** Asks servers that failed again with the next read, which otherwise takes their failure for a while. */
export async function askServersAgain(given: z.input<typeof Servers>): Promise<Result<void>> {
  return guardAction(async ({ actor }) => {
    const place = parseInput(Servers, given)
    await authorize(agentServer.searchThreads, place, actor)
    askAgain(place.workspace)
  })
}
