import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { sourceLabel } from '@/lib/contracts/deployments/source-label'

/** A value of one revision; null if it has none, undefined if the server does not store it per revision. */
type Value = string | null | undefined
export type Verdict = 'same' | 'changed' | 'unknown'
export type Difference = { group: string; name: string; a: Value; b: Value; verdict: Verdict }

/** `secrets` is missing if this user may not see secret names. */
type About = Pick<Deployment, 'latest_revision_id' | 'source_config'> & Partial<Pick<Deployment, 'secrets'>>

/**
 * Compares two revisions field by field. Records hold only the source; secret names and resource spec are known for the latest
 * revision alone, because each change of them creates a revision.
 */
export function compareRevisions(a: Revision, b: Revision, deployment: About | undefined): Difference[] {
  const of = (group: string, name: string, pick: (revision: Revision) => Value): Difference => {
    const [left, right] = [pick(a), pick(b)]
    const isKnown = left !== undefined && right !== undefined
    return {
      group,
      name,
      a: left,
      b: right,
      verdict: isKnown ? (left === right ? 'same' : 'changed') : a.id === b.id ? 'same' : 'unknown',
    }
  }
  const config = (key: keyof Revision['source_revision_config']) => (one: Revision) =>
    one.source_revision_config[key] ?? null
  const isLatest = (one: Revision) => deployment !== undefined && one.id === deployment.latest_revision_id
  const latest = (value: () => string | null) => (one: Revision) => (isLatest(one) ? value() : undefined)
  const notKept = () => undefined
  const names = [...new Set((deployment?.secrets ?? []).map(({ name }) => name))].sort()
  const spec = Object.entries(deployment?.source_config?.resource_spec ?? {}).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return [
    of('Source', 'Kind', (one) => (one.source ? sourceLabel(one.source) : null)),
    of('Source', 'Ref', config('repo_ref')),
    of('Source', 'Commit', config('repo_commit_sha')),
    of('Source', 'Graph config', config('graph_config_path')),
    of('Source', 'Image', (one) => one.source_revision_config.image_uri ?? one.image ?? null),
    of('Source', 'Uploaded source', config('source_tarball_path')),
    of('Build settings', 'Install command', notKept),
    of('Build settings', 'Build command', notKept),
    ...(deployment && !deployment.secrets
      ? []
      : [
          of(
            'Secrets',
            'Names',
            latest(() => names.join(', ') || null),
          ),
        ]),
    of('Secrets', 'Fingerprints', notKept),
    ...(spec.length > 0
      ? spec.map(([key, value]) =>
          of(
            'Resource spec',
            key,
            latest(() => JSON.stringify(value)),
          ),
        )
      : [
          of(
            'Resource spec',
            'Whole spec',
            latest(() => null),
          ),
        ]),
  ]
}
