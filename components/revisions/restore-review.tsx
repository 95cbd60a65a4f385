import { useState } from 'react'
import { KeyValues } from '@/components/shared/text/key-values'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CopyButton } from '@/components/ui/copy-button'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { restoreCaveat, restoreRequest } from '@/lib/contracts/deployments/restore'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { shortId } from '@/lib/format/format'

type Review = { latest: string | null; reviewed: string }

const NAMES: Record<string, string> = {
  repo_ref: 'Ref',
  graph_config_path: 'Graph config',
  image_uri: 'Image',
  source_tarball_path: 'Uploaded source',
}

/** The request as of when the dialog was opened. The server detects changes made since then. */
export function useRestoreReview(revision: Revision, deployment: Deployment): Review {
  const [review] = useState((): Review => {
    const request = restoreRequest(revision, deployment)
    return {
      latest: deployment.latest_revision_id ?? null,
      reviewed: 'body' in request ? JSON.stringify(request.body) : '',
    }
  })
  return review
}

type Props = Review & { workspace: string; deployment: Deployment; revision: Revision }

/** What a restore sends, restores and leaves unchanged. */
export function RestoreReview({ reviewed, deployment, revision }: Props) {
  const body = JSON.parse(reviewed || '{}') as { source_revision_config?: Record<string, string> }
  const now: Record<string, string | null | undefined> = deployment.source_revision_config ?? {}
  const caveat = restoreCaveat(revision)
  const pretty = JSON.stringify(body, null, 2)
  return (
    <>
      <p className="text-ink-2">
        Creates a new revision from the source of revision <code className="font-mono">{shortId(revision.id)}</code>.
        The old one is not changed.
      </p>
      <section aria-label="From this revision">
        <h3 className="mb-1 font-medium text-xs">From this revision</h3>
        <KeyValues
          items={Object.entries(body.source_revision_config ?? {}).map(([field, value]) => [
            NAMES[field] ?? field,
            <span key={field} className="break-all font-mono text-xs">
              <VisibleText>{value}</VisibleText>
              {now[field] === value ? (
                <span className="ml-2 font-sans text-ink-3">unchanged</span>
              ) : (
                <span className="ml-2 font-sans text-warn">
                  now <VisibleText>{now[field] ?? 'none'}</VisibleText>
                </span>
              )}
            </span>,
          ])}
        />
      </section>
      {caveat ? <p className="rounded-md border border-warn/30 bg-warn-soft px-3 py-2">{caveat}</p> : null}
      <section aria-label="Current settings">
        <h3 className="mb-1 font-medium text-xs">Current settings</h3>
        <p className="text-ink-2">
          Secrets ({deployment.secrets.length}), resource spec, install and build commands, build on push and URL keep
          their current values. The server does not store them per revision.
        </p>
      </section>
      <section aria-label="Request">
        <h3 className="mb-1 flex items-center gap-1 font-medium text-xs">
          Request <CopyButton value={pretty} what="request" />
        </h3>
        <pre className="max-h-48 overflow-auto rounded-md border bg-sunken p-2 font-mono text-xs">
          PATCH /v2/deployments/{deployment.id}
          {'\n'}
          <VisibleText>{pretty}</VisibleText>
        </pre>
      </section>
    </>
  )
}
