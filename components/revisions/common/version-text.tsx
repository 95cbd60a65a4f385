import { VisibleName, VisibleText } from '@/components/shared/text/visible-text'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { shortId } from '@/lib/format/format'
import { shownText } from '@/lib/format/hidden-characters'

/** The source of a revision in one line: commit and ref, or image. */
export function VersionText({ config }: { config: Revision['source_revision_config'] }) {
  const commit = config.repo_commit_sha
  const upload = config.source_tarball_path?.split('/').at(-1)
  const version = commit ? shortId(commit) : (config.image_uri ?? (upload && `upload ${shortId(upload)}`))
  if (!version && !config.repo_ref) return <span className="text-ink-3">–</span>
  return (
    <span className="flex min-w-0 items-center gap-2">
      {version ? (
        <code className="truncate font-mono text-xs" title={shownText(commit ?? config.image_uri ?? upload ?? '')}>
          <VisibleText>{version}</VisibleText>
        </code>
      ) : null}
      {config.repo_ref ? (
        <VisibleName className="truncate text-ink-2 text-xs">
          {config.repo_ref.replace(/^refs\/tags\//, 'tag ')}
        </VisibleName>
      ) : null}
    </span>
  )
}
