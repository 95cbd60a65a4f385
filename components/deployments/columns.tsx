import type { Column } from '@/components/shared/data-table'
import { RelativeTime } from '@/components/shared/relative-time'
import { Badge } from '@/components/ui/badge'
import type { Deployment } from '@/lib/contracts/deployments'
import { shortId } from '@/lib/format'
import { HealthBadge } from './health-badge'

const SOURCES: Record<string, string> = {
  github: 'Git',
  external_docker: 'Image',
  internal_docker: 'Image',
  internal_source: 'Upload',
  external: 'Agent server',
}

export const deploymentColumns = (workspace: string): Column<Deployment>[] => [
  { id: 'name', header: 'Name', cell: (one) => <span title={one.name}>{one.name}</span> },
  { id: 'health', header: 'Health', cell: (one) => <HealthBadge workspace={workspace} deployment={one} /> },
  {
    id: 'source',
    header: 'Source',
    from: 'md',
    cell: (one) => (
      <span className="flex items-center gap-1.5">
        <Badge>{SOURCES[one.source] ?? one.source}</Badge>
        <span className="truncate text-ink-2 text-xs" title={sourceOf(one)}>
          {sourceOf(one)}
        </span>
      </span>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    from: 'lg',
    cell: (one) => <span className="text-ink-2">{one.source_config?.deployment_type ?? '–'}</span>,
  },
  {
    id: 'version',
    header: 'Version',
    from: 'lg',
    cell: (one) => {
      const commit = one.source_revision_config?.repo_commit_sha
      return (
        <code className="font-mono text-ink-2 text-xs" title={commit ?? one.image_version ?? undefined}>
          {commit ? shortId(commit) : (one.image_version ?? '–')}
        </code>
      )
    },
  },
  {
    id: 'updated',
    header: 'Updated',
    from: 'sm',
    className: 'w-32 text-ink-2',
    cell: (one) => <RelativeTime at={one.updated_at} />,
  },
]

/** Where a deployment's code comes from, in one line. */
export function sourceOf({ source_config: source, source_revision_config: revision }: Deployment): string {
  const repo = source?.repo_url
    ?.replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
    .at(-1)
  const ref = revision?.repo_ref?.replace(/^refs\/tags\//, 'tag ')
  if (repo) return ref ? `${repo} · ${ref}` : repo
  return revision?.image_uri ?? source?.custom_url ?? ''
}
