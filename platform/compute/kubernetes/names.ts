import { createHash } from 'node:crypto'

/** Our labels. A deployment cannot set them. */
export const LABELS = {
  managedBy: 'app.kubernetes.io/managed-by',
  platform: 'pilothouse.dev/platform',
  deployment: 'pilothouse.dev/deployment',
  revision: 'pilothouse.dev/revision',
  role: 'pilothouse.dev/role',
  /** The revision whose image is built; such objects are not of the revision itself. */
  build: 'pilothouse.dev/build',
} as const
export const MANAGER = 'pilothouse'
/** `api`: gets requests and executes runs. `queue`: executes runs only. */
export type Role = 'api' | 'queue'

/** Names and mounts of our own in each pod. */
export const AGENT_CONTAINER = 'agent'
export const BUILD_CONTAINER = 'build'
/** The containers of a Job that builds an image. */
export const SOURCE_CONTAINER = 'source'
export const IMAGE_CONTAINER = 'buildkit'
/** Set by the cluster on the pods of a Job. */
export const JOB_NAME = 'batch.kubernetes.io/job-name'
export const SOURCE_VOLUME = 'pilothouse-source'
export const TMP_VOLUME = 'pilothouse-tmp'
export const SOURCE_PATH = '/deployment'
export const SETTINGS_VOLUME = 'pilothouse-settings'
export const SETTINGS_PATH = '/etc/pilothouse'
export const AGENT_PORT = 8000
export const HEALTH_PORT = 8001

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
export const isDnsLabel = (name: string): boolean => DNS_LABEL.test(name)

/** Readable and unique: the deployment's name as far as it fits, and a part of its id. */
export function serviceName({ id, name }: { id: string; name: string }): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 30)
    .replace(/^-+|-+$/g, '')
  return `agent-${readable ? `${readable}-` : ''}${shortHash(id)}`
}

/** The name of a revision's objects. */
export const revisionName = (deployment: { id: string; name: string }, revisionId: string): string =>
  `${serviceName(deployment)}-${shortHash(revisionId)}`

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** A selector in the form of the API's `labelSelector`. */
export const selectorOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

const NAME_PART = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/
const PREFIX = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

/** The problem with the key of a label or annotation, if any. */
export function keyProblem(key: string): string | undefined {
  const parts = key.split('/')
  const [name, prefix] = [parts.at(-1) ?? '', parts.length === 2 ? parts[0] : undefined]
  const isValid =
    parts.length <= 2 && NAME_PART.test(name) && (prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix)))
  if (!isValid)
    return 'Use up to 63 letters, digits, dots, dashes and underscores, with an optional DNS prefix and slash'
  if (prefix !== undefined && /(^|\.)pilothouse\.dev$/.test(prefix))
    return 'Keys of pilothouse.dev are set by the platform'
  if (key === LABELS.managedBy) return 'It is set by the platform'
  return undefined
}

export const labelValueProblem = (value: string): string | undefined =>
  value === '' || NAME_PART.test(value)
    ? undefined
    : 'Use up to 63 letters, digits, dots, dashes and underscores; start and end with a letter or digit'
