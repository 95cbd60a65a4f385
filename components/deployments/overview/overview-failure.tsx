'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { deploymentHealth, isRevisionFailed } from '@/lib/contracts/wire/state'
import { failureCausesQuery } from '@/lib/queries/audit'
import { revisionLogsQuery } from '@/lib/queries/revisions'
import { routes } from '@/lib/routes'

const LINES = 10
/** Statuses before the build has finished. */
const BEFORE_BUILD: readonly string[] = ['CREATE_FAILED', 'BUILD_FAILED']

type Props = { workspace: string; deployment: Deployment; latest: Revision | undefined }

/** Why the latest revision failed: its error, the last lines of its log, and what to do about it. */
export function OverviewFailure({ workspace, deployment, latest }: Props) {
  if (!latest || !isRevisionFailed(latest.status)) return null
  return <Failure workspace={workspace} deployment={deployment} revision={latest} />
}

function Failure({ workspace, deployment, revision }: Omit<Props, 'latest'> & { revision: Revision }) {
  const { id, active_revision_id: active } = deployment
  const { label, detail } = deploymentHealth({ deployment, latestRevisionStatus: revision.status })
  const type = BEFORE_BUILD.includes(revision.status) ? 'build' : 'deploy'
  const log = useQuery(revisionLogsQuery(workspace, id, revision.id, { type, order: 'desc', limit: LINES }))
  const error = useQuery(failureCausesQuery(workspace, [`${id}.${revision.id}`])).data?.[id]?.error
  const lines = log.data?.logs.toReversed() ?? []
  const verbs = [
    { label: 'Open log', href: routes.revision(workspace, id, revision.id) },
    { label: 'Redeploy…', href: routes.revisions(workspace, id, { do: 'redeploy' }) },
    // A revision that failed before it served leaves nothing to roll back.
    ...(active === revision.id
      ? [{ label: 'Roll back…', href: routes.revisions(workspace, id, { do: 'rollBack' }) }]
      : []),
    { label: 'Edit secrets', href: routes.deploymentSecrets(workspace, id) },
  ]
  return (
    <section aria-label="Failure" className="min-w-0 rounded-lg border border-error/40 bg-error-soft p-4">
      <h2 className="font-semibold text-error text-sm">{label}</h2>
      <p className="mt-1">{detail}</p>
      {error ? (
        <p className="mt-2 break-words font-mono text-xs">
          <VisibleText>{error}</VisibleText>
        </p>
      ) : null}
      {log.data ? (
        lines.length > 0 ? (
          <section
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
            tabIndex={0}
            aria-label={`Last lines of the ${type} log`}
            className="mt-2 max-h-60 overflow-auto rounded-md border bg-panel px-3 py-2"
          >
            <pre className="whitespace-pre-wrap break-words font-mono text-xs">
              <VisibleText>{lines.map(({ message }) => message ?? '').join('\n')}</VisibleText>
            </pre>
          </section>
        ) : (
          <p className="mt-2 text-ink-2">Its {type} log has no lines.</p>
        )
      ) : log.error ? (
        <p className="mt-2 text-ink-2">Log not available: {log.error.view.message}</p>
      ) : (
        <>
          <Skeleton className="mt-2 h-24 w-full" />
          <LateNotice />
        </>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {verbs.map((verb) => (
          <Button key={verb.label} asChild size="sm">
            <Link href={verb.href}>{verb.label}</Link>
          </Button>
        ))}
      </div>
    </section>
  )
}
