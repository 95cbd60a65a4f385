import { withBasePath } from '@/lib/base-path'
import { type AnyInput, buildPath, type Operation } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { AppError, type ErrorView } from '@/lib/errors'
import { parseJson, printJson } from '@/lib/json/lossless'

/** A failure that the relay reported, or that kept us from reaching it. */
export class RelayError extends AppError {
  constructor({ code, message, ...more }: ErrorView, cause?: unknown) {
    super(code, message, { ...more, cause })
    this.name = 'RelayError'
  }
}

/** The relay's same-origin URL for an operation. Throws TypeError for a parameter that a path cannot have. */
export function relayPath(
  op: Operation,
  { workspace, deploymentId, params, query }: OperationPlace & AnyInput,
): string {
  const root = `/api/relay/${encodeURIComponent(workspace)}`
  const below = buildPath(op, params, op.method === 'GET' ? query : undefined)
  if (op.api !== 'agent-server') return `${root}/${op.api}${below}`
  if (!deploymentId) throw new TypeError(`${op.id} needs the deployment of its agent server.`)
  return `${root}/agents/${encodeURIComponent(deploymentId)}${below}`
}

export const unreachable: ErrorView = {
  code: 'upstream_unreachable',
  message: 'The console cannot be reached. Check your connection; the console keeps trying.',
  fields: [],
  requestId: '',
}

const isErrorView = (value: unknown): value is ErrorView =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value && 'fields' in value

/** The fetch options for an operation. */
export function initOf(op: Operation, input: AnyInput, signal?: AbortSignal): Init {
  const isPost = op.method !== 'GET'
  return {
    method: op.method,
    headers: { accept: 'application/json', ...(isPost && { 'content-type': 'application/json' }) },
    body: isPost ? printJson(input.body ?? {}) : undefined,
    signal,
  }
}

/** Reads an operation through the relay, from the browser. Throws RelayError. */
export async function relayFetch(
  op: Operation,
  input: OperationPlace & AnyInput,
  signal?: AbortSignal,
): Promise<unknown> {
  return consoleFetch(relayPath(op, input), initOf(op, input, signal), op.response === 'text')
}

export type Init = Omit<RequestInit, 'credentials' | 'redirect'>

/** Reads JSON or text from a path of the console. Throws RelayError. */
export async function consoleFetch(path: string, init: Init, isText = false): Promise<unknown> {
  const response = await openConsole(path, init)
  const text = await response.text()
  if (isText && response.headers.get('content-type')?.startsWith('text/plain')) return text
  return readValue(text, response.status)
}

/** The successful response for a path, with its body unread. Throws RelayError. */
export async function openConsole(path: string, init: Init): Promise<Response> {
  const response = await fetch(withBasePath(path), { ...init, credentials: 'same-origin', redirect: 'error' }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error
      throw new RelayError(unreachable, error)
    },
  )
  if (response.ok) return response
  const value = readValue(await response.text(), response.status)
  throw new RelayError(
    isErrorView(value)
      ? value
      : { ...unreachable, code: 'internal', message: `The console responded with status ${response.status}.` },
  )
}

export function readValue(text: string, status: number): unknown {
  try {
    return text === '' ? null : parseJson(text)
  } catch (error) {
    // A proxy between us and the server responded with HTML.
    throw new RelayError(
      {
        ...unreachable,
        code: 'internal',
        message: `The console responded with status ${status}, but not with data.`,
      },
      error,
    )
  }
}
