import type { Problem } from '@/lib/contracts/deployments/deployment-rules'
import type { DeploymentCreate, DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import type { Compute } from '../compute/compute'
import { HttpError, invalid } from '../kernel/http-error'
import { INTEGRATION_ID, LISTENER_ID, type Platform } from './platform'

/** Sources that can be built or deployed here. */
const AVAILABLE = ['github', 'external_docker', 'internal_source']

/** Rejects a create that refers to a source, integration or listener that the platform does not have. */
export function checkReferences(
  { source, source_config: config }: DeploymentCreate,
  { listeners }: Pick<Platform, 'listeners'>,
): void {
  if (!AVAILABLE.includes(source))
    throw new HttpError(
      400,
      `This control plane builds git repositories (source github) and uploads (source internal_source), and rolls out images of its own store (source external_docker); source ${source} is not available here. To deploy a folder, upload it: deploy with --remote.`,
    )
  if (source === 'github' && config.integration_id?.toLowerCase() !== INTEGRATION_ID)
    throw new HttpError(400, `Integration ${config.integration_id} not found. The platform has ${INTEGRATION_ID}.`)
  if (source !== 'external_docker') return
  const ids = [LISTENER_ID, ...listeners.list().map(({ id }) => id)]
  const available = `Available listeners: ${ids.join(', ')}.`
  if (!config.listener_id)
    throw new HttpError(400, `source_config.listener_id is required for a workspace that has listeners. ${available}`)
  if (!ids.includes(config.listener_id.toLowerCase()))
    throw new HttpError(400, `Listener ${config.listener_id} not found. ${available}`)
}

/** Rejects an update that names an upload which this deployment does not have. */
export async function checkUpload({ uploads }: Platform, id: string, patch: DeploymentPatch): Promise<void> {
  const given = patch.source_revision_config?.source_tarball_path
  if (!given || (await uploads.has(id, given))) return
  const message = 'It is not an upload of this deployment: use the object_path of its upload-url, after the upload'
  throw invalid('body', [{ path: ['source_revision_config', 'source_tarball_path'], message, type: 'value_error' }])
}

/** Refuses an address for a deployment that leads to the platform itself or to another deployment. */
export function customUrlProblems(
  { customUrls, ownUrls, publicUrl }: Pick<Platform, 'customUrls' | 'ownUrls' | 'publicUrl'>,
  id: string,
  { source_config: config }: DeploymentCreate | DeploymentPatch,
): Problem[] {
  const { custom_url: url } = (config ?? {}) as { custom_url?: string | null }
  const message = url && URL.canParse(url) && customUrls.problemOf(id, url, [publicUrl(), ...ownUrls])
  return message ? [{ path: ['source_config', 'custom_url'], message, type: 'value_error' }] : []
}

/** Names that the roll-out sets itself, silently replacing such a secret. */
const OWN_NAME = /^PILOTHOUSE_AGENT_/

/** Secret names that only this platform rejects, in addition to the generally reserved ones. */
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

/** Rejects everything that the request's schema cannot check, in one response. */
export function checkHere(
  body: DeploymentCreate | DeploymentPatch,
  compute: Compute,
  more: readonly Problem[] = [],
): void {
  const problems = [...more, ...compute.problems(body), ...ownNameProblems(body.secrets)]
  if (problems.length) throw invalid('body', problems)
}
