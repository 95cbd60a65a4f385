import type { Problem } from '@/lib/contracts/deployments/deployment-rules'
import type { DeploymentCreate, DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import { HttpError, invalid } from '../kernel/http-error'
import { INTEGRATION_ID, LISTENER_ID } from './platform'

/** Sources that can be built or rolled out here. */
const AVAILABLE = ['github', 'external_docker']

/** Refuses a create that names what this machine does not have: a source, an integration, a listener. */
export function checkReferences({ source, source_config: config }: DeploymentCreate): void {
  if (!AVAILABLE.includes(source))
    throw new HttpError(
      400,
      `This control plane builds git repositories (source github) and rolls out images of its own store (source external_docker); source ${source} is not available here.`,
    )
  if (source === 'github' && config.integration_id?.toLowerCase() !== INTEGRATION_ID)
    throw new HttpError(400, `Integration ${config.integration_id} not found. This machine has ${INTEGRATION_ID}.`)
  if (source !== 'external_docker') return
  const available = `Available listeners: ${LISTENER_ID}.`
  if (!config.listener_id)
    throw new HttpError(400, `source_config.listener_id is required for a workspace that has listeners. ${available}`)
  if (config.listener_id.toLowerCase() !== LISTENER_ID)
    throw new HttpError(400, `Listener ${config.listener_id} not found. ${available}`)
}

/** What the compute type of this machine's listener, `process`, rules out: a namespace, and secrets that lie in one. */
export function computeProblems({
  source_config: config,
  secret_references,
}: DeploymentCreate | DeploymentPatch): Problem[] {
  const problems: Problem[] = []
  const listenerConfig = config?.listener_config as { k8s_namespace?: string | null } | null | undefined
  if (listenerConfig?.k8s_namespace)
    problems.push({
      path: ['source_config', 'listener_config', 'k8s_namespace'],
      message: 'It applies only to listeners of compute type k8s; this one is of compute type process',
      type: 'value_error',
    })
  if (secret_references?.length)
    problems.push({
      path: ['secret_references'],
      message: 'They name secrets of a k8s namespace; a listener of compute type process has none. Use secrets instead',
      type: 'value_error',
    })
  return problems
}

/** Names that the roll-out gives to an agent server itself; a secret of that name would be replaced without a word. */
const OWN_NAME = /^PILOTHOUSE_AGENT_/

/** Secrets that only this platform cannot take, beyond the names that every platform reserves. */
export const ownNameProblems = (secrets: readonly { name: string }[] | null | undefined): Problem[] =>
  (secrets ?? []).flatMap(({ name }, index) =>
    OWN_NAME.test(name)
      ? [
          {
            path: ['secrets', index, 'name'],
            message: `${name} is set by the platform and cannot be a secret`,
            type: 'value_error',
          },
        ]
      : [],
  )

/** Refuses, in one answer, what the request's own schema could not know. */
export function checkHere(body: DeploymentCreate | DeploymentPatch, more: readonly Problem[] = []): void {
  const problems = [...more, ...computeProblems(body), ...ownNameProblems(body.secrets)]
  if (problems.length) throw invalid('body', problems)
}
