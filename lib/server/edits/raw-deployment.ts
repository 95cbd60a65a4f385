import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Operation } from '@/lib/contracts/wire/api'
import { fromWire } from '@/lib/contracts/wire/dialect'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import type { Actor } from '../access/actor'
import { withAudit } from '../audit/trail'
import { authorize, entryOf } from '../upstream/call-context'
import { controlPlaneDestination, type Destination } from '../upstream/destination'
import { exchangeText, isSuccess, prepare } from '../upstream/exchange'
import { learnDialect } from '../upstream/learned-dialect'
import type { UpstreamResponse } from '../upstream/request'
import { responseError } from '../upstream/response'
import { isOpen } from './ambiguous-write'
import { withoutSecretValues } from './secret-values'

// The only place where the console holds a deployment's secret values in memory; a test checks that only this folder imports
// it. Reading needs the role for a change, and changes are audited before they are sent, as with `call`.
export type EditOptions = { actor: Actor; timeoutMs?: number }

/** A secret as the server returns it. Null if the value is not valid text, so it cannot be sent back. */
export type RawSecret = { name: string; value: string | null }
export type RawDeployment = {
  /** All other fields in the default dialect, including unknown ones. */
  record: Readonly<Record<string, unknown>>
  /** Null if the server does not list them. */
  secrets: RawSecret[] | null
  source: string
  updatedAt: string | null
  latestRevision: string | null
}
export type RawPatch = Record<string, unknown>

/** Reads a deployment with all its fields and secret values. Throws AppError forbidden for users who may not change it. */
export async function readRaw(place: DeploymentPlace, { actor, timeoutMs }: EditOptions): Promise<RawDeployment> {
  const op = controlPlane.getDeployment
  const input = inputOf(place)
  const { workspace, requestId } = await authorize(controlPlane.updateDeployment, input, actor)
  const to = controlPlaneDestination(workspace)
  const response = await exchangeText(op, to, prepare(op, input), { workspace, requestId, timeoutMs })
  if (!isSuccess(response.status)) throw responseError(op, to, response)
  const value = parsed(op, to, response)
  learnDialect(workspace, value)
  return rawOf(fromWire(value), to)
}

/**
 * Sends a change as given, already checked; `fields` are its names in the audit trail. Servers report success and failure
 * unreliably, so `confirmOutcome` reads again and decides the outcome; `failure` is set if the response was ambiguous.
 */
export async function changeRaw<T>(
  place: DeploymentPlace,
  { actor, timeoutMs }: EditOptions,
  { body, fields }: { body: RawPatch; fields: string[] },
  confirmOutcome: (failure: AppError | undefined) => Promise<T>,
): Promise<T> {
  const op = controlPlane.updateDeployment
  const input = inputOf(place)
  const context = await authorize(op, { ...input, body }, actor)
  const { workspace, requestId } = context
  const to = controlPlaneDestination(workspace)
  const { path } = prepare(controlPlane.getDeployment, input)
  const send = async () => {
    const response = await exchangeText(op, to, { path, query: undefined, body }, { workspace, requestId, timeoutMs })
    if (isSuccess(response.status)) return response.status
    throw withoutSecretValues(responseError(op, to, response), secretsOf(body))
  }
  return await withAudit({ ...context, ...entryOf(op, input), fields }, async () => {
    const sent = await send().catch((error: unknown) => {
      if (!isOpen(error)) throw error
      error.view.requestId ||= requestId
      return error
    })
    const [status, failure] = typeof sent === 'number' ? [sent, undefined] : [sent.view.upstreamStatus ?? 0, sent]
    return { status, value: await confirmOutcome(failure) }
  })
}

const inputOf = ({ workspace, deploymentId }: DeploymentPlace) => ({
  workspace,
  params: { deployment_id: deploymentId },
})

const secretsOf = ({ secrets }: RawPatch): RawSecret[] => (Array.isArray(secrets) ? (secrets as RawSecret[]) : []) // built by this folder

/** Not `readResponse`, which redacts our own key: the same key may be one of the deployment's secrets. */
function parsed(op: Operation, to: Destination, { text, status, contentType }: UpstreamResponse): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof AppError) throw error
    // Without the cause, because its message quotes the text and may contain a value.
    throw shapeError(
      to,
      `${op.id} with something other than JSON${contentType ? ` (${contentType.split(';')[0]})` : ''}`,
      status,
    )
  }
}

const shapeError = ({ what }: Destination, how: string, upstreamStatus?: number) =>
  new AppError('upstream_shape', `The ${what} responded to ${how}. Nothing was sent.`, { upstreamStatus })

function rawOf(value: unknown, to: Destination): RawDeployment {
  if (!isRecord(value) || typeof value.id !== 'string')
    throw shapeError(to, 'getDeployment with something other than a deployment')
  const { secrets, ...record } = value
  const text = (key: string) => (typeof record[key] === 'string' ? record[key] : null)
  return {
    record,
    secrets: secrets === undefined || secrets === null ? null : listOf(secrets, to),
    source: text('source') ?? '',
    updatedAt: text('updated_at'),
    latestRevision: text('latest_revision_id'),
  }
}

function listOf(secrets: unknown, to: Destination): RawSecret[] {
  if (!Array.isArray(secrets)) throw shapeError(to, 'getDeployment with secrets that are not a list')
  return secrets.map((one: unknown) => {
    if (!isRecord(one) || typeof one.name !== 'string')
      throw shapeError(to, 'getDeployment with a secret without a name')
    // U+FFFD replaces bytes that were not valid text. Sending it back would make the loss permanent.
    const isText = typeof one.value === 'string' && !one.value.includes('\ufffd')
    return { name: one.name, value: isText ? (one.value as string) : null }
  })
}
