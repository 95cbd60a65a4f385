'use server'
import { z } from 'zod'
import { appliesTo } from '@/lib/contracts/deployments/deployment-rules'
import type { SpecOutcome } from '@/lib/contracts/deployments/resource-spec-view'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { guardAction } from '@/lib/server/audit/guard-action'
import { type CurrentDeployment, editDeployment } from '@/lib/server/edits/edit-deployment'
import { Snapshot } from '@/lib/server/edits/fingerprints'
import { readResourceSpec, SPEC_PATHS } from '@/lib/server/edits/read-resource-spec'
import { parseInput } from '@/lib/server/process/result'

const text = z.string().min(1).max(300)
const Edit = z.strictObject({
  place: z.strictObject({ workspace: text, deploymentId: text }),
  key: z.string().min(8).max(100),
  snapshot: Snapshot,
  /** The whole spec as JSON text, so that numbers beyond a double's precision survive. */
  spec: z.string().max(1_000_000),
})
export type SaveResourceSpecInput = z.input<typeof Edit>

/** Replaces the whole resource spec with the reviewed one. A concurrent edit is an outcome that holds the current spec. */
export async function saveResourceSpec(given: SaveResourceSpecInput): Promise<Result<SpecOutcome>> {
  return guardAction(async ({ actor }): Promise<SpecOutcome> => {
    const { place, key, snapshot, spec: input } = parseInput(Edit, given)
    const spec = specOf(input)
    const build = (current: CurrentDeployment) => {
      if (!appliesTo(current.source ?? '', 'source_config.resource_spec'))
        throw new AppError(
          'invalid',
          `Deployments with source ${current.source} cannot have a resource spec. Nothing was sent.`,
        )
      return { source_config: { resource_spec: spec } }
    }
    try {
      const { revision, note } = await editDeployment({ place, actor, key, input, paths: SPEC_PATHS, snapshot, build })
      return { kind: 'saved', revision, note, view: await readResourceSpec(place, actor).catch(() => null) }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict' || !error.view.conflict) throw error
      // The page compares values, but a conflict holds only names, so read the spec again.
      return { kind: 'conflict', message: error.message, view: await readResourceSpec(place, actor) }
    }
  })
}

function specOf(input: string): Record<string, unknown> {
  const value = readJson(input)
  if (!isRecord(value)) throw new AppError('invalid', 'A resource spec is a JSON object.')
  return value
}

function readJson(input: string): unknown {
  try {
    return parseJson(input)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('invalid', 'A resource spec is a JSON object.', { cause: error })
  }
}
