import { StartError } from '../compute'
import type { Refusal } from './cluster'
import { refusalText } from './pod-status'

type Status = { code?: number; reason?: string; message?: string; details?: { causes?: Cause[]; kind?: string } }
type Cause = { field?: string; message?: string }

/** The status object of a refused request; undefined if the cluster did not respond at all. */
export function statusOf(error: unknown): Status | undefined {
  const { code, body } = error as { code?: unknown; body?: unknown }
  if (typeof code !== 'number') return undefined
  if (typeof body === 'object' && body !== null) return { code, ...(body as Status) }
  try {
    return { code, ...(JSON.parse(String(body)) as Status) }
  } catch {
    return { code, message: String(body ?? '') }
  }
}

export const isMissing = (error: unknown): boolean => statusOf(error)?.code === 404

/** Why the cluster refused an object, for the deploy log. A StartError if it would refuse it again. */
export function refusalOf(error: unknown, what: string, cluster: string): Error {
  const status = statusOf(error)
  if (!status) return error instanceof Error ? error : new Error(String(error))
  const { code = 0, message = '' } = status
  if (code === 401) return new StartError(`Cluster ${cluster} does not accept the credentials of this platform.`)
  if (code === 403 && !/exceeded quota|PodSecurity/i.test(message))
    return new StartError(`This platform may not change ${what} in cluster ${cluster}: ${message}`)
  if (code === 404) return new StartError(`${what} cannot be created in cluster ${cluster}: ${message}`)
  const isUnreadable = code === 500 && UNREADABLE.test(message)
  if (code === 403 || code === 422 || code === 400 || isUnreadable)
    return new StartError(`${what}: ${refusalText(message.replace(UNREADABLE, ''))}`)
  const answer = `Cluster ${cluster} answered ${code}: ${message}`
  return code >= 500 || BUSY.includes(code) ? new Error(answer) : new StartError(answer)
}

/** Timeout, conflict, too many requests: the same request may succeed later. */
const BUSY = [408, 409, 429]

const UNREADABLE =
  /^failed to (create typed patch object|convert new object) \(.*?\)(: | to proper version: unable to convert unstructured object to \S+ Kind=\w+: )/

/** What a dry run says about each field; empty if the request failed for another reason. */
export function causesOf(error: unknown, kind: string): Refusal[] {
  const status = statusOf(error)
  if (!status) return []
  const { code, message = '' } = status
  if (code === 404 && status.details?.kind === 'namespaces') return [{ kind: 'Namespace', field: '', message }]
  // What cannot even be read as an object of its kind is answered as an internal error.
  const isUnreadable = code === 500 && UNREADABLE.test(message)
  if (code !== 422 && code !== 400 && !isUnreadable) return []
  const causes = status.details?.causes ?? []
  if (!causes.length) return [{ kind, field: '', message: message.replace(UNREADABLE, '').trim() }]
  return causes.map(({ field = '', message = '' }) => ({ kind, field, message }))
}
