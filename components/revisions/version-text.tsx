import type { Revision } from '@/lib/contracts/revisions'
import { shortId } from '@/lib/format'

/** What a revision was made of, in one line: commit and ref, or image. */
export function VersionText({ config }: { config: Revision['source_revision_config'] }) {
  const commit = config.repo_commit_sha
  const version = commit ? shortId(commit) : (config.image_uri ?? config.source_tarball_path)
  if (!version && !config.repo_ref) return <span className="text-ink-3">–</span>
  return (
    <span className="flex min-w-0 items-center gap-2">
      {version ? (
        <code className="truncate font-mono text-xs" title={commit ?? version}>
          {version}
        </code>
      ) : null}
      {config.repo_ref ? (
        <span className="truncate text-ink-2 text-xs" title={config.repo_ref}>
          {config.repo_ref.replace(/^refs\/tags\//, 'tag ')}
        </span>
      ) : null}
    </span>
  )
}
