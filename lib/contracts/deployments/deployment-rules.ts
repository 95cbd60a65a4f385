/**
 * Rules for a deployment's fields beyond their types, for forms, actions and the embedded platform. No schema library;
 * each problem has the path of its field and FastAPI's name for the kind of problem.
 */

export const SOURCES = ['github', 'external_docker', 'internal_docker', 'internal_source'] as const
export type Source = (typeof SOURCES)[number]

export const DEPLOYMENT_TYPES = ['dev_free', 'dev', 'prod'] as const
/** Only what command-line tools create can scale to zero. */
export const TOOL_DEPLOYMENT_TYPES = [...DEPLOYMENT_TYPES, 'dev_zero'] as const
export type DeploymentType = (typeof DEPLOYMENT_TYPES)[number]

export type Problem = { path: (string | number)[]; message: string; type: string }

/** User name and password of an address; `ssh` may name a user, whose key git finds by itself. */
const CREDENTIALS = /^((?:https?|git|file):\/\/)[^/?#]*@|^(ssh:\/\/[^/?#@:]*):[^/?#]*@/i

/** An address without the credentials in it. */
export const withoutCredentials = (url: string): string =>
  url.replace(CREDENTIALS, (_, scheme: string | undefined, user: string) => scheme ?? `${user}@`)

export const repositoryProblem = (url: string): string | undefined =>
  CREDENTIALS.test(url)
    ? 'The address contains a user name or password, which everyone who sees the deployment could read. Remove it, and let git on the server find the credentials.'
    : undefined

type FieldPath = `source_config.${string}` | `source_revision_config.${string}` | 'secrets' | 'secret_references'
type SourceRule = { required: readonly FieldPath[]; mustBeNull: readonly FieldPath[] }

const ONLY_GITHUB = [
  'source_config.integration_id',
  'source_config.repo_url',
  'source_config.build_on_push',
  'source_revision_config.repo_ref',
] as const
const ONLY_SELF_HOSTED = [
  'source_config.custom_url',
  'source_config.resource_spec',
  'source_config.listener_id',
  'source_config.listener_config',
  'secret_references',
] as const

/** Fields that each source requires on create, and fields that it never has. */
export const SOURCE_RULES: Record<Source, SourceRule> = {
  github: {
    required: [
      'source_config.integration_id',
      'source_config.repo_url',
      'source_config.deployment_type',
      'source_config.build_on_push',
      'source_revision_config.repo_ref',
      'source_revision_config.graph_config_path',
      'secrets',
    ],
    mustBeNull: [...ONLY_SELF_HOSTED, 'source_revision_config.image_uri', 'source_revision_config.source_tarball_path'],
  },
  // `listener_id` is required too if the workspace has listeners, which only the server knows.
  external_docker: {
    required: ['source_revision_config.image_uri', 'secrets'],
    mustBeNull: [
      ...ONLY_GITHUB,
      'source_config.deployment_type',
      'source_revision_config.graph_config_path',
      'source_revision_config.source_tarball_path',
    ],
  },
  internal_docker: {
    required: ['source_config.deployment_type'],
    mustBeNull: [
      ...ONLY_GITHUB,
      ...ONLY_SELF_HOSTED,
      'source_revision_config.graph_config_path',
      'source_revision_config.source_tarball_path',
    ],
  },
  internal_source: {
    // Its source is uploaded once there is a deployment to upload it to; an update names the upload.
    required: ['source_config.deployment_type'],
    mustBeNull: [...ONLY_GITHUB, ...ONLY_SELF_HOSTED, 'source_revision_config.image_uri'],
  },
}

/** The part of a create or update that the rules read. */
export type DeploymentFields = {
  name?: string
  source_config?: Readonly<Record<string, unknown>> | null
  source_revision_config?: Readonly<Record<string, unknown>> | null
  secrets?: readonly { name: string }[] | null
  secret_references?: readonly { name: string }[] | null
}

function valueAt(fields: DeploymentFields, place: FieldPath): unknown {
  const [group, key] = place.split('.') as [keyof DeploymentFields, string | undefined]
  const value = fields[group]
  return key === undefined ? value : (value as Record<string, unknown> | null | undefined)?.[key]
}
const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Whether a source can have a field; an unknown source can have any. */
export function appliesTo(source: string, place: string): boolean {
  const rule = Object.hasOwn(SOURCE_RULES, source) ? SOURCE_RULES[source as Source] : undefined
  return !(rule?.mustBeNull as readonly string[] | undefined)?.includes(place)
}

/** Problems of a create request. */
export function createProblems(source: Source, fields: DeploymentFields): Problem[] {
  const missing = SOURCE_RULES[source].required
    .filter((place) => !isGiven(valueAt(fields, place)))
    .map((place): Problem => ({ path: place.split('.'), message: 'Field required', type: 'missing' }))
  return [
    ...missing,
    ...applicabilityProblems(source, fields),
    ...newUploadProblems(source, fields),
    ...tagProblems(fields),
    ...secretProblems(fields.secrets, source),
  ]
}

/**
 * Problems of an update. It needs the current deployment, because half of a rule may be stored and the other half sent.
 */
export function patchProblems(
  current: { source: string; source_config?: object | null; source_revision_config?: object | null },
  patch: DeploymentFields,
): Problem[] {
  const merged = {
    source_config: merge(current.source_config, patch.source_config),
    source_revision_config: merge(current.source_revision_config, patch.source_revision_config),
  }
  return [
    ...applicabilityProblems(current.source, patch),
    ...tagProblems(merged),
    ...secretProblems(patch.secrets, current.source),
  ]
}

/** A new deployment has no upload yet, and only those of tools can scale to zero. */
function newUploadProblems(source: Source, fields: DeploymentFields): Problem[] {
  const problems: Problem[] = []
  const isOfTool = source === 'internal_source' || source === 'internal_docker'
  if (!isOfTool && fields.source_config?.deployment_type === 'dev_zero')
    problems.push({
      path: ['source_config', 'deployment_type'],
      message: `Input should be ${DEPLOYMENT_TYPES.map((one) => `'${one}'`).join(', ')}`,
      type: 'enum',
    })
  if (source === 'internal_source' && isGiven(fields.source_revision_config?.source_tarball_path))
    problems.push({
      path: ['source_revision_config', 'source_tarball_path'],
      message: 'Create the deployment without it, upload the source, then set it with an update',
      type: 'value_error',
    })
  return problems
}

/** Fields that are absent or null keep their value. */
function merge(current: object | null | undefined, patch: object | null | undefined): Record<string, unknown> {
  const given = Object.entries(patch ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return { ...current, ...Object.fromEntries(given) }
}

function applicabilityProblems(source: string, fields: DeploymentFields): Problem[] {
  const rule = Object.hasOwn(SOURCE_RULES, source) ? SOURCE_RULES[source as Source] : undefined
  return (rule?.mustBeNull ?? [])
    .filter((place) => isGiven(valueAt(fields, place)))
    .map((place) => ({
      path: place.split('.'),
      message: `Deployments with source ${source} cannot have this field`,
      type: 'value_error',
    }))
}

export const isTagRef = (ref: string | null | undefined): boolean => !!ref?.startsWith('refs/tags/')

/** A tag never moves, so pushes to it have nothing to build. */
export function tagProblems(fields: DeploymentFields): Problem[] {
  const ref = fields.source_revision_config?.repo_ref
  if (fields.source_config?.build_on_push !== true || typeof ref !== 'string' || !isTagRef(ref)) return []
  const message = 'build_on_push cannot be enabled when repo_ref starts with refs/tags/'
  return [{ path: ['source_config', 'build_on_push'], message, type: 'value_error' }]
}

/** Environment names that the platform sets and rejects as secrets. */
export const RESERVED_SECRET_NAMES: ReadonlySet<string> = new Set([
  ...['LANGCHAIN_TRACING_V2', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_ENDPOINT', 'LANGCHAIN_PROJECT', 'LANGSMITH_PROJECT'],
  ...[
    'LANGSMITH_LANGGRAPH_GIT_REPO',
    'LANGGRAPH_GIT_REPO_PATH',
    'LANGCHAIN_API_KEY',
    'LANGSMITH_CONTROL_PLANE_API_KEY',
  ],
  ...['LANGGRAPH_HOST_API_KEY', 'POSTGRES_URI', 'POSTGRES_PASSWORD', 'DATABASE_URI', 'LANGSMITH_LANGGRAPH_GIT_REF'],
  ...['LANGSMITH_LANGGRAPH_GIT_REF_SHA', 'LANGGRAPH_AUTH_TYPE', 'LANGSMITH_AUTH_ENDPOINT', 'LANGSMITH_TENANT_ID'],
  ...['LANGSMITH_AUTH_VERIFY_TENANT_ID', 'LANGSMITH_HOST_PROJECT_ID', 'LANGSMITH_HOST_PROJECT_NAME'],
  ...['LANGSMITH_HOST_REVISION_ID', 'LOG_JSON', 'LOG_DICT_TRACEBACKS', 'REDIS_URI', 'LANGCHAIN_CALLBACKS_BACKGROUND'],
  ...['DD_TRACE_PSYCOPG_ENABLED', 'DD_TRACE_REDIS_ENABLED', 'LANGSMITH_DEPLOYMENT_NAME', 'LANGGRAPH_CLOUD_LICENSE_KEY'],
])

/** Names that only self-hosted deployments (`external_docker`) may set. */
export const SELF_HOSTED_SECRET_NAMES: ReadonlySet<string> = new Set([
  ...['LANGSMITH_API_KEY', 'LANGSMITH_ENDPOINT', 'POSTGRES_URI_CUSTOM', 'REDIS_URI_CUSTOM', 'PATH', 'PORT'],
  ...['MOUNT_PREFIX', 'LSD_ENV', 'LSD_DD_API_KEY', 'LSD_DD_ENDPOINT', 'LSD_DEPLOYMENT_TYPE'],
])

/** The problem with a secret's name, if any. Without a source, only what every source forbids. */
export function secretNameProblem(name: string, source?: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'Use letters, digits and underscores; do not start with a digit'
  if (RESERVED_SECRET_NAMES.has(name)) return `${name} is set by the platform and cannot be a secret`
  if (source !== undefined && source !== 'external_docker' && SELF_HOSTED_SECRET_NAMES.has(name))
    return `${name} can be a secret of self-hosted deployments only`
  return undefined
}

/** Problems of a complete list of secrets. */
export function secretProblems(secrets: readonly { name: string }[] | null | undefined, source?: string): Problem[] {
  const seen = new Set<string>()
  return (secrets ?? []).flatMap(({ name }, index) => {
    const message = seen.has(name) ? `Another secret is already named ${name}` : secretNameProblem(name, source)
    seen.add(name)
    return message === undefined ? [] : [{ path: ['secrets', index, 'name'], message, type: 'value_error' }]
  })
}

/**
 * The problem with a name, if any. Servers do not publish their rules, so only names that cannot work anywhere are
 * rejected.
 */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'Enter a name'
  if (name !== name.trim()) return 'A name cannot begin or end with a space'
  if (name.length > 128) return 'A name has at most 128 characters'
  if (/[\p{C}/\\]/u.test(name)) return 'A name cannot contain slashes or invisible characters'
  return undefined
}

/** Advice for a new name, from what the platform's own tools allow. Some servers accept more, so it rejects nothing. */
export const nameAdvice = (name: string): string | undefined =>
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) ? undefined : 'Lowercase letters, digits and hyphens work everywhere'

/** The problem with an install or build command, if any: one plain command line, `&&` allowed. */
export function commandProblem(command: string): string | undefined {
  const found = /["`\\\n\r\0\t|;$><]|(?<!&)&(?!&)|&{3,}/.exec(command)
  return found ? `The command cannot contain ${JSON.stringify(found[0])}` : undefined
}

const MAKES_REVISION = [
  'secrets',
  'secret_references',
  'source_revision_config.repo_ref',
  'source_revision_config.graph_config_path',
  'source_revision_config.image_uri',
  'source_revision_config.source_tarball_path',
  'source_config.resource_spec',
] as const satisfies readonly FieldPath[]

/** Whether an update creates a new revision: it sets one of the fields that do. */
export function patchMakesRevision(patch: DeploymentFields): boolean {
  return MAKES_REVISION.some((place) => {
    const value = valueAt(patch, place)
    return value !== undefined && value !== null
  })
}
