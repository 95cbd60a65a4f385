import { agentPolicy, baseEnvironment } from '../env'

export type ChildEnvInput = {
  databaseUrl: string
  deployment: { id: string; name: string }
  revision: { id: string; commit: string | null }
  configFile: string
  /** Weaker first: the configuration file's `env`, then the deployment's secrets. */
  given: Record<string, string>[]
}

/** The PostgreSQL schema that all revisions of a deployment share. */
export const agentSchemaName = (deploymentId: string): string => `agent_${deploymentId.replaceAll('-', '')}`

/** The whole environment of an agent server. Nothing a deployment brings can replace what the platform sets. */
export function childEnvironment(input: ChildEnvInput): Record<string, string> {
  const given = Object.assign({}, ...input.given) as Record<string, string>
  // PostgreSQL and the process table end a value at NUL; Node refuses to start with one.
  const usable = Object.entries(given).filter(([name, value]) => !/[\0=]/.test(name) && name && !value.includes('\0'))
  return {
    ...baseEnvironment(),
    NODE_ENV: 'production',
    // Without an endpoint of ours the tracing library would send runs to its vendor.
    LANGSMITH_TRACING: 'false',
    ...Object.fromEntries(usable),
    ...agentPolicy(),
    // The tracing project of a deployment has its name, so runs that are logged at all land there.
    LANGSMITH_PROJECT: input.deployment.name,
    PILOTHOUSE_AGENT_DATABASE_URL: input.databaseUrl,
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
