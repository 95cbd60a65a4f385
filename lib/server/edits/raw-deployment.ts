import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Operation } from '@/lib/contracts/wire/api'
import { fromWire } from '@/lib/contracts/wire/dialect'
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

// The one place where values of a deployment's secrets are in the console's memory. Only this folder may import it; a test
// reads the import lines. The rights are those of a change, and what goes out is on record first, as with every call.

export type EditPlace = { workspace: string; deployment: string }
export type EditOptions = { actor: Actor; timeoutMs?: number }

/** A secret as the server gives it. Null: it gives no text for it, so it cannot be sent back. */
export type RawSecret = { name: string; value: string | null }
export type RawDeployment = {
  /** All other fields, in the default dialect; unknown ones included. */
  record: Readonly<Record<string, unknown>>
  /** Null where the server does not say which there are. */
  secrets: RawSecret[] | null
  source: string
  updatedAt: string | null
  latestRevision: string | null
}
export type RawPatch = Record<string, unknown>

/** A deployment with everything that its server says of it. Throws AppError forbidden for who may not change it. */
export async function readRaw(place: EditPlace, { actor, timeoutMs }: EditOptions): Promise<RawDeployment> {
  const op = controlPlane.getDeployment
  const input = inputOf(place)
  const { workspace, requestId } = await authorize(controlPlane.updateDeployment, input, actor)
  const to = controlPlaneDestination(workspace)
  const answer = await exchangeText(op, to, prepare(op, input), { workspace, requestId, timeoutMs })
  if (!isSuccess(answer.status)) throw responseError(op, to, answer)
  const value = parsed(op, to, answer)
  learnDialect(workspace, value)
  return rawOf(fromWire(value), to)
}

/**
 * Sends a change, exactly as given: its caller has checked it. `fields` are the names that the audit trail keeps of it. What
 * the server answers says little (a success that is none, a failure after the change was made), so `settle` reads again: its
 * result, or what it throws, is the outcome on record. `failure` is one that leaves it open whether the change was made.
 */
export async function changeRaw<T>(
  place: EditPlace,
  { actor, timeoutMs }: EditOptions,
  { body, fields }: { body: RawPatch; fields: string[] },
  settle: (failure: AppError | undefined) => Promise<T>,
): Promise<T> {
  const op = controlPlane.updateDeployment
  const input = inputOf(place)
  const context = await authorize(op, { ...input, body }, actor)
  const { workspace, requestId } = context
  const to = controlPlaneDestination(workspace)
  const { path } = prepare(controlPlane.getDeployment, input)
  const send = async () => {
    const answer = await exchangeText(op, to, { path, query: undefined, body }, { workspace, requestId, timeoutMs })
    if (isSuccess(answer.status)) return answer.status
    throw withoutSecretValues(responseError(op, to, answer), secretsOf(body))
  }
  return await withAudit({ ...context, ...entryOf(op, input), fields }, async () => {
    const sent = await send().catch((error: unknown) => {
      if (!isOpen(error)) throw error
      error.view.requestId ||= requestId
      return error
    })
    const [status, failure] = typeof sent === 'number' ? [sent, undefined] : [sent.view.upstreamStatus ?? 0, sent]
    return { status, value: await settle(failure) }
  })
}

const inputOf = ({ workspace, deployment }: EditPlace) => ({ workspace, params: { deployment_id: deployment } })

const secretsOf = ({ secrets }: RawPatch): RawSecret[] => (Array.isArray(secrets) ? (secrets as RawSecret[]) : []) // built by this folder

/** Not `readAnswer`: it takes our own key out of every answer, and a person may have made that key a secret of the deployment. */
function parsed(op: Operation, to: Destination, { text, status, contentType }: UpstreamResponse): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof AppError) throw error
    // The cause is left out: it quotes the text, and with it perhaps a value.
    throw shapeError(
      to,
      `${op.id} with something else than JSON${contentType ? ` (${contentType.split(';')[0]})` : ''}`,
      status,
    )
  }
}

const shapeError = ({ what }: Destination, how: string, upstreamStatus?: number) =>
  new AppError('upstream_shape', `The ${what} answered ${how}. Nothing was sent.`, { upstreamStatus })

function rawOf(value: unknown, to: Destination): RawDeployment {
  if (!isRecord(value) || typeof value.id !== 'string')
    throw shapeError(to, 'getDeployment with something else than a deployment')
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
  if (!Array.isArray(secrets)) throw shapeError(to, 'getDeployment with secrets that are no list')
  return secrets.map((one: unknown) => {
    if (!isRecord(one) || typeof one.name !== 'string')
      throw shapeError(to, 'getDeployment with a secret that has no name')
    // U+FFFD stands for bytes that were no text: what it replaced is lost, and sending it back would make that last.
    const isText = typeof one.value === 'string' && !one.value.includes('\ufffd')
    return { name: one.name, value: isText ? (one.value as string) : null }
  })
}
