'use client'
'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { LoopbackNotice } from '@/components/shared/feedback/loopback-notice'
import { RevisionStatus } from '@/components/shared/feedback/revision-status'
import { FavouriteStar } from '@/components/shared/layout/favourites'
import { CopiedText } from '@/components/shared/text/copied-text'
import { IdChip } from '@/components/shared/text/id-chip'
import { KeyValues } from '@/components/shared/text/key-values'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName, VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import {
  type DeploymentRow,
  healthGroup,
  type RevisionFacts,
  rowHealth,
} from '@/lib/contracts/deployments/deployment-row'
import { sourceLabel } from '@/lib/contracts/deployments/source-label'
import { shownText } from '@/lib/format/hidden-characters'
import { failureCausesQuery } from '@/lib/queries/audit'
import { routes } from '@/lib/routes'
import { RowHealth } from './columns'
import { FAILED } from './failing-runs'
import { HealthDetail } from './health-badge'

const MOST_SECRETS = 12

/** Details of a row: on the right, or from below on narrow screens. The focus stays in the list. */
export function PeekPanel({ workspace, row, onClose }: { workspace: string; row: DeploymentRow; onClose: () => void }) {
  const more = row.secrets.length - MOST_SECRETS
  const health = rowHealth(row)
  return (
    <aside
      aria-label={`Peek: ${shownText(row.name, 80)}`}
      className="fixed inset-x-0 bottom-0 z-30 flex max-h-[60dvh] flex-col rounded-t-lg border bg-panel shadow-pop sm:inset-x-auto sm:top-14 sm:right-3 sm:bottom-3 sm:max-h-none sm:w-96 sm:rounded-lg"
    >
      <header className="flex items-start gap-2 border-b px-4 py-3">
        <div className="min-w-0 flex-1">
          <h2 className="line-clamp-3 break-words font-semibold text-base">
            <VisibleName>{row.name}</VisibleName>
          </h2>
          <RowHealth row={row} />
        </div>
        <FavouriteStar id={row.id} name={row.name} className="size-7" />
        <Button variant="ghost" size="icon" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <X />
        </Button>
      </header>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        aria-label="Facts"
        className="min-h-0 flex-1 overflow-y-auto px-4 py-3"
      >
        <p className="mb-3 text-ink-2" aria-live="polite">
          <HealthDetail health={health} />
        </p>
        {health.failing ? (
          <Link href={routes.runs(workspace, row.id, FAILED)} className="mb-3 block text-accent hover:underline">
            Failed runs
          </Link>
        ) : row.latest && healthGroup(row) === 'failing' ? (
          <FailureError workspace={workspace} deploymentId={row.id} revision={row.latest.id} />
        ) : null}
        <KeyValues
          items={[
            ['Id', <IdChip key="id" id={row.id} what="deployment id" />],
            [
              'URL',
              row.url && (
                <>
                  <CopiedText value={row.url} what="deployment URL" />
                  <LoopbackNotice url={row.url} />
                </>
              ),
            ],
            ['Active revision', <Revision key="active" of={row.active} />],
            [
              'Latest revision',
              row.latest?.id === row.active?.id ? (
                '= active'
              ) : (
                <Revision key="latest" of={row.latest} listener={row.listener} />
              ),
            ],
            ['Source', sourceLabel(row.source)],
            ['Repository', row.repo && <CopiedText value={row.repo} what="repository" />],
            ['Ref', row.ref],
            ['Commit', row.commit && <IdChip id={row.commit} what="commit" />],
            ['Image', row.image && <CopiedText value={row.image} what="image" />],
            ['Type', row.type],
            ['Listener', row.listener?.name],
            ['Image version', row.imageVersion],
            ['Status', row.status],
            [
              'Secrets',
              row.secrets.length > 0 && (
                <span className="flex flex-wrap gap-1">
                  {row.secrets.slice(0, MOST_SECRETS).map((name) => (
                    <Badge key={name} className="max-w-full break-all font-mono">
                      <VisibleText>{name}</VisibleText>
                    </Badge>
                  ))}
                  {more > 0 ? <span className="text-ink-3 text-xs">and {more} more</span> : null}
                </span>
              ),
            ],
            ['Created', <RelativeTime key="created" at={row.createdAt} />],
            ['Updated', <RelativeTime key="updated" at={row.updatedAt} />],
          ]}
        />
      </section>
      <footer className="flex flex-wrap gap-2 border-t px-4 py-3">
        <Button asChild variant="primary" size="sm">
          <Link href={routes.deployment(workspace, row.id)}>Open</Link>
        </Button>
        {VERBS.filter(({ isOwn }) => !isOwn || row.source !== 'external').map(({ label, href }) => (
          <Button key={label} asChild size="sm">
            <Link href={href(workspace, row.id)}>{label}</Link>
          </Button>
        ))}
      </footer>
    </aside>
  )
}

/** `isOwn`: only a deployment of a control plane has it. */
const VERBS: { label: string; href: (workspace: string, id: string) => Route; isOwn?: boolean }[] = [
  { label: 'Chat', href: routes.chat },
  { label: 'Runs', href: routes.runs },
  { label: 'Logs', href: routes.logs },
  { label: 'Revisions', href: routes.revisions, isOwn: true },
  { label: 'Secrets', href: routes.deploymentSecrets, isOwn: true },
]

/** The error in the logs of a revision, which leads to them. */
function FailureError({
  workspace,
  deploymentId,
  revision,
}: {
  workspace: string
  deploymentId: string
  revision: string
}) {
  const { data } = useQuery(failureCausesQuery(workspace, [`${deploymentId}.${revision}`]))
  const error = data?.[deploymentId]?.error
  return (
    <Link
      href={routes.revision(workspace, deploymentId, revision)}
      className="mb-3 block break-words rounded-md border border-error/30 bg-error-soft px-3 py-2 font-mono text-xs hover:underline"
    >
      {error ? <VisibleText>{error}</VisibleText> : 'Open the log'}
    </Link>
  )
}

type RevisionProps = { of: RevisionFacts | null; listener?: DeploymentRow['listener'] }

const Revision = ({ of, listener }: RevisionProps) =>
  of ? (
    <span className="flex flex-wrap items-center gap-x-2">
      <IdChip id={of.id} what="revision id" />
      {of.status ? <RevisionStatus status={of.status} listener={listener} /> : null}
      {of.at ? <RelativeTime at={of.at} /> : null}
    </span>
  ) : (
    'none'
  )
