import type { SourceConfig } from '@/lib/contracts/deployments/deployments'
import type { AgentDatabase, AgentDatabases } from '../../kernel/agent-database'
import { agentTelemetry } from '../../kernel/env'
import type { DeploymentRow, RevisionRow } from '../../kernel/schema'
import type { RevisionLogger } from '../revision-logger'
import { podCounts, type RevisionInput } from './manifests'
import { LABELS, MANAGER, SOURCE_PATH } from './names'

export const IMAGE_SOURCE = 'external_docker'

export type InputOptions = {
  logger: RevisionLogger
  databases: AgentDatabases
  /** Tells this platform's objects from those of others in the same cluster. */
  platformId: string
  /** Namespaces that deployments may use; the first is the default. */
  namespaces: readonly string[]
  /** The image of build and agent server. */
  image: string
  /** A Secret that may pull the platform's own images. */
  pullSecret?: string | undefined
  /** A Secret with the credentials of private repositories. */
  gitSecret?: string | undefined
  /** Translates the addresses of the database for pods. */
  databaseOf(given: AgentDatabase): AgentDatabase
  /** A secret that stays the same for a revision, because its pods outlive this program. */
  secretOf(revisionId: string): string
  tracing?: ((deploymentId: string) => { endpoint: string; apiKey: string } | undefined) | undefined
  /** Variables that every container of ours gets. */
  variables: Record<string, string>
  drainSeconds: number
}

/** What the objects of a revision are made from. */
export class RevisionInputs {
  constructor(private readonly options: InputOptions) {}

  /** Of all objects of this platform. */
  labels(more: Record<string, string> = {}): Record<string, string> {
    return { [LABELS.managedBy]: MANAGER, [LABELS.platform]: this.options.platformId, ...more }
  }

  namespaceOf(config: Pick<SourceConfig, 'listener_config'>): string {
    return config.listener_config?.k8s_namespace ?? this.options.namespaces[0] ?? 'default'
  }

  outlineOf(
    deployment: { id: string; name: string },
    revision: { id: string; isBuilt: boolean; spec: RevisionInput['spec']; namespace: string; image?: string },
  ): Omit<RevisionInput, 'secrets' | 'settings'> {
    const { platformId, image, variables, drainSeconds } = this.options
    const { namespace, isBuilt, spec } = revision
    return {
      platformId,
      namespace,
      deployment,
      revisionId: revision.id,
      image: revision.image ?? image,
      isBuilt,
      spec,
      variables,
      drainSeconds,
    }
  }

  async of(deployment: Pick<DeploymentRow, 'id' | 'name'>, revision: RevisionRow): Promise<RevisionInput> {
    const { logger, databases, secretOf, tracing, drainSeconds } = this.options
    const { source, sourceConfig, sourceRevisionConfig } = revision
    const isOwn = source === IMAGE_SOURCE
    const isBuilt = !isOwn && !revision.image
    const { id, name } = deployment
    const secrets = logger.secretsOf(revision)
    const given = tracing?.(id)
    const telemetry = agentTelemetry()
    const { resource_spec: spec, ...config } = sourceConfig
    return {
      ...this.outlineOf(
        { id, name },
        {
          id: revision.id,
          isBuilt,
          spec,
          namespace: this.namespaceOf(sourceConfig),
          ...(!isBuilt && { image: revision.image ?? sourceRevisionConfig.image_uri ?? '' }),
        },
      ),
      ...(!isOwn && { pullSecret: this.options.pullSecret, gitSecret: this.options.gitSecret }),
      secrets,
      settings: {
        deployment: { id, name },
        revision: { id: revision.id, commit: sourceRevisionConfig.repo_commit_sha ?? null },
        ...(revision.image && { configPath: sourceRevisionConfig.graph_config_path }),
        source: isBuilt ? { folder: `${SOURCE_PATH}/source`, config, revision: sourceRevisionConfig } : null,
        secretNames: secrets.map((secret) => secret.name),
        ...this.options.databaseOf(await databases.addressOf(id, podCounts(spec).max)),
        ...(Object.keys(telemetry).length > 0 && { telemetry }),
        secret: secretOf(revision.id),
        ...(given && { tracing: given }),
        drainSeconds,
      },
    }
  }
}
