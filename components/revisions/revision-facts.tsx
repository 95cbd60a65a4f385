import { CopiedText } from '@/components/shared/text/copied-text'
import { KeyValues } from '@/components/shared/text/key-values'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Change } from '@/lib/contracts/deployments/changes'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { sourceLabel } from '@/lib/contracts/deployments/source-label'
import { AuthorText } from './common/author-text'
import { SpanText } from './common/span'
import type { Span } from './common/times'
import type { Trigger } from './common/trigger'
import { TriggerText } from './common/trigger-text'

type Props = { revision: Revision; trigger: Trigger; took: Span; served: Span | undefined; changes: readonly Change[] }

const WORDS: Partial<Record<Change['operation'], string>> = {
  redeployRevision: 'redeployed it',
  interruptRevision: 'interrupted it',
}

/** The facts of a revision, and what was done with it from this console. */
export function RevisionFacts({ revision, trigger, took, served, changes }: Props) {
  const { source_revision_config: config, commit } = revision
  const image = config.image_uri ?? revision.image
  const deeds = changes.filter((one) => one.revision === revision.id && WORDS[one.operation])
  return (
    <aside aria-label="Details" className="flex min-w-0 flex-col gap-4">
      <section className="rounded-lg border bg-panel p-4">
        <KeyValues
          items={[
            ['Created by', <TriggerText key="by" trigger={trigger} />],
            ['Created', <RelativeTime key="created" at={revision.created_at} />],
            ['Last updated', <RelativeTime key="updated" at={revision.updated_at} />],
            ['Duration', <SpanText key="took" span={took} />],
            ['Active for', served && <SpanText key="served" span={served} />],
            ['Source', revision.source && sourceLabel(revision.source)],
            ['Commit message', commit && <VisibleText key="message">{commit.message}</VisibleText>],
            ['Author', commit && <AuthorText key="author" commit={commit} />],
            ['Commit', config.repo_commit_sha && <CopiedText value={config.repo_commit_sha} what="commit" />],
            ['Ref', config.repo_ref && <CopiedText value={config.repo_ref} what="ref" />],
            ['Graph config', config.graph_config_path],
            ['Image', image && <CopiedText value={image} what="image" />],
            ['Upload', config.source_tarball_path],
          ]}
        />
      </section>
      {deeds.length > 0 ? (
        <section aria-label="Actions from this console" className="rounded-lg border bg-panel p-4">
          <h3 className="mb-2 font-semibold text-sm">Actions from this console</h3>
          <ul className="flex flex-col gap-1.5 text-ink-2 text-xs">
            {deeds.map((one) => (
              <li key={one.seq} className="break-words">
                {one.who} {one.isDone ? WORDS[one.operation] : `${WORDS[one.operation]} (not confirmed)`},{' '}
                <RelativeTime at={one.at} />
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </aside>
  )
}
