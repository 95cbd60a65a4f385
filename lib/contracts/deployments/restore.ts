import { appliesTo, patchProblems } from './deployment-rules'
import type { DeploymentPatch, SourceRevisionConfig } from './deployments'
import type { Revision } from './revisions'

const FIELDS = ['repo_ref', 'graph_config_path', 'image_uri', 'source_tarball_path'] as const
const OVERRIDES = ['github', 'internal_docker', 'internal_source'] as const

type Now = {
  source: string
  source_config?: { build_on_push?: boolean | null } | null
  source_revision_config?: SourceRevisionConfig | null
}
type Old = Pick<Revision, 'source' | 'source_revision_config'>

/** The update that creates a revision from an old one's source, or why there is none. */
export type RestoreRequest = { body: DeploymentPatch } | { problem: string }

/**
 * Restores a revision's ref or image, and its config path. The API takes branches and tags only, so a commit cannot be
 * restored.
 */
export function restoreRequest(old: Old, now: Now): RestoreRequest {
  const source = old.source ?? now.source
  const given = FIELDS.flatMap((field) => {
    const value = old.source_revision_config[field]
    return value && appliesTo(source, `source_revision_config.${field}`) ? [[field, value] as const] : []
  })
  if (given.length === 0) return { problem: 'This revision has no ref or image to restore.' }
  const override = source === now.source ? undefined : OVERRIDES.find((one) => one === source)
  if (source !== now.source && !override)
    return { problem: `It was created from ${source}, and the deployment now uses ${now.source}.` }
  const body: DeploymentPatch = {
    ...(override && { revision_source: override }),
    source_revision_config: Object.fromEntries(given),
  }
  const [problem] = override ? [] : patchProblems(now, body)
  return problem ? { problem: problem.message } : { body }
}

/** Why restoring the old revision's ref or image may give another result. Undefined if it gives exactly the same. */
export function restoreCaveat({ source_revision_config: config }: Old): string | undefined {
  if (config.repo_ref && !config.repo_ref.startsWith('refs/tags/'))
    return `The server accepts a branch or tag, not a commit: the newest commit of ${config.repo_ref} is built, which may be a newer one. To roll out the same commit, redeploy the old revision.`
  if (config.image_uri && !config.image_uri.includes('@'))
    return 'The image is given by tag, not by digest: what the tag points to now is rolled out, which may be a newer image.'
  return undefined
}
