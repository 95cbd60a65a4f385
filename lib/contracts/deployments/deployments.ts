import { z } from 'zod'
import { listOf, openEnum, pageQuery, queryBool, queryCommaList, queryList, refused } from '../wire/fields'
import { DEPLOYMENT_STATUSES } from '../wire/state'
import {
  commandProblem,
  createProblems,
  DEPLOYMENT_TYPES,
  nameProblem,
  type Problem,
  repositoryProblem,
  SOURCES,
  secretProblems,
  TOOL_DEPLOYMENT_TYPES,
  tagProblems,
  withoutCredentials,
} from './deployment-rules'
import { ListenerState } from './listeners'
import { ResourceSpec, ResourceSpecRequest } from './resource-spec'

// Records.

export const ListenerConfig = z.object({ k8s_namespace: z.string().nullish() })
export type ListenerConfig = z.output<typeof ListenerConfig>

export const SourceConfig = z.object({
  integration_id: z.string().nullish(),
  /** Never with credentials, even if the server sends some. */
  repo_url: z.string().transform(withoutCredentials).nullish(),
  deployment_type: openEnum(DEPLOYMENT_TYPES).nullish(),
  build_on_push: z.boolean().nullish(),
  /** Address of the deployment's agent server; null until it is known. */
  custom_url: z.string().nullish(),
  resource_spec: ResourceSpec.nullish(),
  listener_id: z.string().nullish(),
  listener_config: ListenerConfig.nullish(),
  install_command: z.string().nullish(),
  build_command: z.string().nullish(),
})
export type SourceConfig = z.output<typeof SourceConfig>

/** Keys are in the default dialect; a response goes through `fromWire` first. */
export const SourceRevisionConfig = z.object({
  repo_ref: z.string().nullish(),
  graph_config_path: z.string().nullish(),
  image_uri: z.string().nullish(),
  repo_commit_sha: z.string().nullish(),
  source_tarball_path: z.string().nullish(),
})
export type SourceRevisionConfig = z.output<typeof SourceRevisionConfig>

/** An existing secret of the cluster that becomes an environment variable. Has names, never a value. */
export const SecretReference = z.object({ name: z.string(), secret_name: z.string(), secret_key: z.string() })
export type SecretReference = z.output<typeof SecretReference>

/** The only part of a secret that may leave the server. */
export const SecretName = z
  .object({ name: z.string(), value: z.string().nullish() })
  .transform(({ name }) => ({ name }))
export type SecretName = z.output<typeof SecretName>

export const ISOLATIONS = ['pod', 'namespaces', 'user', 'none'] as const

const deploymentFields = {
  id: z.string(),
  name: z.string(),
  source: openEnum(SOURCES),
  source_config: SourceConfig,
  source_revision_config: SourceRevisionConfig,
  secret_references: z.array(SecretReference).nullish(),
  tenant_id: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  status: openEnum(DEPLOYMENT_STATUSES),
  latest_revision_id: z.string().nullish(),
  active_revision_id: z.string().nullish(),
  image_version: z.string().nullish(),
  /**
   * The project its runs are logged to. Only the embedded platform sends it; otherwise the project has the deployment's
   * name.
   */
  tracing_project_id: z.string().nullish(),
  /**
   * How its code is kept from the platform: `pod` in a cluster; `none` means it has the operator's rights. Only the
   * embedded platform sends it.
   */
  isolation: openEnum(ISOLATIONS).nullish(),
  /** What deploys it. Only the embedded platform sends it. */
  listener: ListenerState.nullish(),
}

/** A deployment as it may leave the server: secrets only have names. */
export const Deployment = z.object({ ...deploymentFields, secrets: listOf(SecretName) })
export type Deployment = z.output<typeof Deployment>

/**
 * With secret values. Only for the server side of the secrets editor and the embedded platform, never for a browser.
 */
export const DeploymentWithSecrets = z.object({
  ...deploymentFields,
  secrets: listOf(z.object({ name: z.string(), value: z.string().nullish() })),
})
export type DeploymentWithSecrets = z.output<typeof DeploymentWithSecrets>

/** `offset` is the offset of the next page. */
export const DeploymentsList = z.object({ resources: z.array(Deployment), offset: z.int() })
export type DeploymentsList = z.output<typeof DeploymentsList>

// Requests.

/** A secret in a request. Responses never contain its value. */
export const Secret = z.strictObject({ name: z.string(), value: z.string() })
export type Secret = z.output<typeof Secret>

const SecretReferenceRequest = z.strictObject({
  name: z.string().min(1),
  secret_name: z.string().min(1),
  secret_key: z.string().min(1),
})

const Command = z
  .string()
  .check((context) => {
    const message = commandProblem(context.value)
    if (message) context.issues.push({ code: 'custom', message, input: context.value, params: refused('value_error') })
  })
  .nullish()

/** Fields of `source_config` that can be updated. */
const changeableConfig = {
  build_on_push: z.boolean().nullish(),
  custom_url: z.url({ protocol: /^https?$/ }).nullish(),
  resource_spec: ResourceSpecRequest.nullish(),
  install_command: Command,
  build_command: Command,
}

/** A repository's address in a request, without credentials. */
export const RepositoryUrl = z
  .string()
  .min(1)
  .check((context) => {
    const message = repositoryProblem(context.value)
    // Without the input, which later logs or responses could repeat.
    if (message) context.issues.push({ code: 'custom', message, input: '', params: refused('value_error') })
  })

const SourceConfigCreate = z.strictObject({
  ...changeableConfig,
  integration_id: z.guid().nullish(),
  repo_url: RepositoryUrl.nullish(),
  deployment_type: z.enum(TOOL_DEPLOYMENT_TYPES).nullish(),
  listener_id: z.guid().nullish(),
  listener_config: z.strictObject({ k8s_namespace: z.string().min(1).nullish() }).nullish(),
})

const SourceRevisionConfigRequest = z.strictObject({
  repo_ref: z.string().min(1).nullish(),
  graph_config_path: z.string().min(1).nullish(),
  image_uri: z.string().min(1).nullish(),
  source_tarball_path: z.string().min(1).nullish(),
})

const addProblems = (context: z.RefinementCtx, problems: readonly Problem[]) => {
  for (const { path, message, type } of problems)
    context.addIssue({ code: 'custom', path, message, params: refused(type) })
}

const Name = z.string().check((context) => {
  const message = nameProblem(context.value)
  if (message) context.issues.push({ code: 'custom', message, input: context.value, params: refused('value_error') })
})

export const DeploymentCreate = z
  .strictObject({
    name: Name,
    source: z.enum(SOURCES),
    source_config: SourceConfigCreate,
    source_revision_config: SourceRevisionConfigRequest,
    /** The rules require it for `github` and `external_docker`. */
    secrets: z.array(Secret).optional(),
    secret_references: z.array(SecretReferenceRequest).nullish(),
  })
  .superRefine((body, context) => addProblems(context, createProblems(body.source, body)))
export type DeploymentCreate = z.output<typeof DeploymentCreate>

/** Absent and null fields keep their value. `secrets` and `resource_spec` are replaced as a whole. */
export const DeploymentPatch = z
  .strictObject({
    /** Overrides the source of the new revision. */
    revision_source: z.enum(['github', 'internal_docker', 'internal_source']).nullish(),
    source_config: z
      // The namespace inside is fixed too; the empty object makes the error name it exactly.
      .strictObject({ ...changeableConfig, listener_config: z.strictObject({}).nullish() })
      .nullish(),
    source_revision_config: SourceRevisionConfigRequest.nullish(),
    secrets: z.array(Secret).nullish(),
    secret_references: z.array(SecretReferenceRequest).nullish(),
    tracked_packages: z.array(z.string()).nullish(),
  })
  .superRefine((body, context) => addProblems(context, [...tagProblems(body), ...secretProblems(body.secrets)]))
export type DeploymentPatch = z.output<typeof DeploymentPatch>

/**
 * Where to PUT a folder as a gzipped tar archive, with these headers and without a key: the address is signed, expires, and takes
 * one upload. An update names `object_path` as `source_tarball_path`.
 */
export const UploadPlace = z.object({
  upload_url: z.url({ protocol: /^https?$/ }),
  object_path: z.string().min(1),
  upload_headers: z.record(z.string(), z.string()).nullish(),
})

// Hosted platforms only.

/** Number of deployments of the free type. */
export const FreeCount = z.object({ count: z.int() })
/** The hosted platform's plan names are not documented. */
export const DeploymentTierPatch = z.strictObject({ tier: z.string().min(1) })
const RESOURCE_TIERS = [
  ...['SERVERLESS_S', 'SERVERLESS_M', 'SERVERLESS_L'],
  ...['DEDICATED_S', 'DEDICATED_M', 'DEDICATED_L'],
] as const
export const ResourceTiersPatch = z.strictObject({
  compute_tier: z.enum(RESOURCE_TIERS).nullish(),
  database_tier: z.enum(RESOURCE_TIERS).nullish(),
})

// Queries.

export const ListDeploymentsQuery = z.strictObject({
  ...pageQuery,
  name_contains: z.string().optional(),
  name: z.string().optional(),
  status: z.string().optional(),
  remote_reconciled: queryBool().optional(),
  tag_value_ids: queryCommaList().optional(),
  image_version: z.string().optional(),
  deployment_type: z.enum(TOOL_DEPLOYMENT_TYPES).optional(),
  deployment_ids: queryCommaList().optional(),
  agent_id: z.string().optional(),
  agent_environment: z.string().optional(),
})
export type ListDeploymentsQuery = z.output<typeof ListDeploymentsQuery>

export const DeleteDeploymentQuery = z.strictObject({
  delete_tracing_project: queryBool().default(false),
  /** Only for a deployment that is already being deleted. */
  force: queryBool().optional(),
})

/** At most 100. */
export const DeleteDeploymentsQuery = z.strictObject({
  deployment_ids: queryList().pipe(z.array(z.string().min(1)).min(1).max(100)),
})
