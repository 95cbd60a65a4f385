import { agentSchemaName } from '../../kernel/agent-database'
import { agentPolicy, baseEnvironment } from '../../kernel/env'

export type ChildEnvInput = {
  deployment: { id: string; name: string }
  revision: { id: string; commit: string | null }
  configFile: string
  /** In ascending precedence: the configuration file's `env`, then the deployment's secrets. */
  given: Record<string, string>[]
  /** The platform's own trace intake; without it nothing is traced unless the deployment configures an endpoint. */
  tracing?: { endpoint: string; apiKey: string } | undefined
  /** The console's page for the deployment's secrets, for graphs that miss one. */
  secretsPage?: string | undefined
}

/** The complete environment of an agent server. A deployment cannot override the platform's variables. */
export function childEnvironment(input: ChildEnvInput): Record<string, string> {
  const given = Object.assign({}, ...input.given) as Record<string, string>
  // Node refuses to start a process with a NUL in its environment.
  const usable = Object.entries(given).filter(([name, value]) => !/[\0=]/.test(name) && name && !value.includes('\0'))
  return {
    ...baseEnvironment(),
    NODE_ENV: 'production',
    ...tracingDefaults(usable, input.tracing),
    ...Object.fromEntries(usable),
    ...agentPolicy(),
    // A deployment's tracing project has its name, so its runs are logged there.
    LANGSMITH_PROJECT: input.deployment.name,
    ...(input.secretsPage !== undefined && { PILOTHOUSE_SECRETS_URL: input.secretsPage }),
    PILOTHOUSE_AGENT_SCHEMA: agentSchemaName(input.deployment.id),
    PILOTHOUSE_AGENT_CONFIG: input.configFile,
    PILOTHOUSE_AGENT_OWNER: input.revision.id,
    PILOTHOUSE_AGENT_INFO: JSON.stringify({
      deployment: input.deployment,
      revision: input.revision.id,
      commit: input.revision.commit,
    }),
  }
}

/**
 * Runs are logged to the platform unless the deployment configures tracing. Its own endpoint never gets our key; its
 * own key without an endpoint is for an unknown server, so nothing is sent anywhere.
 */
function tracingDefaults(given: [string, string][], tracing: ChildEnvInput['tracing']): Record<string, string> {
  const names = new Set(given.map(([name]) => name))
  const isOwn = ['LANGSMITH_ENDPOINT', 'LANGSMITH_API_KEY'].some((name) => names.has(name))
  // Without our endpoint the tracing library would send runs to its vendor.
  if (isOwn || !tracing) return { LANGSMITH_TRACING: 'false' }
  return { LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: tracing.endpoint, LANGSMITH_API_KEY: tracing.apiKey }
}
