'use server'
import { z } from 'zod'
import { RunConfiguration } from '@/lib/contracts/agents/runs'
import { holdsRedacted, redact } from '@/lib/contracts/wire/redact'
import type { Result } from '@/lib/errors'
import { parseJson } from '@/lib/json/lossless'
import { guardAction } from '@/lib/server/audit/guard-action'
import { idFromKey } from '@/lib/server/edits/idempotency'
import { type Rated, rate } from '@/lib/server/experiments/feedback'
import * as runs from '@/lib/server/experiments/run'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/experiments'
import {
  type InputSet,
  MAX_CHECKS,
  MAX_INPUT_LENGTH,
  MAX_INPUTS,
  MAX_NAME,
  MAX_NOTE,
  MAX_PAIRS,
  MAX_SUBJECTS,
} from '@/lib/stream/experiments'

const id = z.string().min(1).max(300)
const Name = z.string().trim().min(1, 'Enter a name.').max(MAX_NAME)
const Options = z
  .string()
  .max(MAX_INPUT_LENGTH, `The options of a column have at most ${MAX_INPUT_LENGTH / 1000} kB.`)
  .superRefine((text, { addIssue }) => {
    try {
      const value = parseJson(text)
      for (const { path, message } of RunConfiguration.safeParse(value).error?.issues ?? [])
        addIssue({ code: 'custom', path, message })
      if (holdsRedacted(redact(value))) addIssue({ code: 'custom', message: NO_CREDENTIALS })
    } catch {
      addIssue({ code: 'custom', message: 'The options are not valid JSON.' })
    }
  })
const NO_CREDENTIALS = 'Metadata and configuration may hold no credentials: all members see an experiment’s options.'
const Subject = z
  .strictObject({
    ...{ deployment: id, deploymentName: id, assistant: id, name: id },
    version: z.int().min(1).nullable(),
    revision: id.nullable(),
    isPinned: z.boolean().optional(),
    title: z.string().trim().max(MAX_NAME).optional(),
    options: Options.optional(),
  })
  .refine(({ isPinned, revision }) => !isPinned || revision !== null, 'Choose a revision.')
const Check = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('contains'), text: z.string().min(1, 'Enter a text.').max(2_000) }),
  z.strictObject({
    kind: z.literal('equals'),
    path: z.string().trim().min(1, 'Enter a path.').max(300),
    value: z.string().min(1, 'Enter a value.').max(10_000),
  }),
  z.strictObject({ kind: z.literal('regex'), pattern: z.string().min(1, 'Enter a regex.').max(2_000) }),
  z.strictObject({ kind: z.literal('latency'), ms: z.int().min(1).max(86_400_000) }),
])
const Input = z
  .string()
  .max(MAX_INPUT_LENGTH, `An input has at most ${MAX_INPUT_LENGTH / 1000} kB.`)
  .refine(isJson, 'Only valid JSON can be an input.')
const Inputs = z.array(Input).min(1, 'Enter an input.').max(MAX_INPUTS, `At most ${MAX_INPUTS} inputs.`)

const Start = z
  .strictObject({
    workspace: id,
    name: Name,
    subjects: z.array(Subject).min(1, 'Choose an assistant.').max(MAX_SUBJECTS),
    inputs: Inputs,
    checks: z.array(Check).max(MAX_CHECKS),
    /** The idempotency key, created once per submitted form: a repeat gets the same experiment. */
    key: z.string().min(8).max(100),
  })
  .refine(({ subjects, inputs }) => subjects.length * inputs.length <= MAX_PAIRS, {
    path: ['inputs'],
    message: `At most ${MAX_PAIRS} runs. Use fewer inputs or assistants.`,
  })
export type StartExperiment = z.input<typeof Start>

function isJson(text: string): boolean {
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}

/** Stores an experiment and starts its runs. Returns its id. */
export async function startExperiment(given: StartExperiment): Promise<Result<string>> {
  return guardAction(async ({ actor, requestId }) => {
    const { key, ...made } = parseInput(Start, given)
    const experiment = idFromKey(['experiment', actor.id, key])
    await runs.startExperiment(actor, { ...made, id: experiment }, requestId)
    return experiment
  })
}

const Place = z.strictObject({ workspace: id, id: z.uuid() })
type Place = z.input<typeof Place>

/** Starts what was not started, and again what could not be started. */
export async function continueExperiment(given: Place): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    await runs.continueExperiment(actor, parseInput(Place, given), requestId)
    return null
  })
}

export async function stopExperiment(given: Place): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    await records.stopExperiment(actor, parseInput(Place, given), requestId)
    return null
  })
}

export async function deleteExperiment(given: Place): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    await records.deleteExperiment(actor, parseInput(Place, given), requestId)
    return null
  })
}

const Rating = z.strictObject({
  place: Place,
  subject: z.int().min(0).max(MAX_SUBJECTS),
  input: z.int().min(0).max(MAX_INPUTS),
  thumb: z.union([z.literal(-1), z.literal(1)]).nullable(),
  note: z.string().trim().max(MAX_NOTE),
})

export async function ratePair(given: z.input<typeof Rating>): Promise<Result<Rated>> {
  return guardAction(async ({ actor, requestId }) => {
    const { place, ...rating } = parseInput(Rating, given)
    return await rate(actor, place, rating, requestId)
  })
}

const SaveSet = z.strictObject({ workspace: id, name: Name, inputs: Inputs })

/** Returns all input sets of the workspace. */
export async function saveInputSet(given: z.input<typeof SaveSet>): Promise<Result<InputSet[]>> {
  return guardAction(async ({ actor, requestId }) => records.saveInputSet(actor, parseInput(SaveSet, given), requestId))
}

export async function deleteInputSet(given: Place): Promise<Result<InputSet[]>> {
  return guardAction(async ({ actor, requestId }) => records.deleteInputSet(actor, parseInput(Place, given), requestId))
}
