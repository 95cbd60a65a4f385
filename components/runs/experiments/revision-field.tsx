'use client'
import { useQuery } from '@tanstack/react-query'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { Select } from '@/components/ui/input'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { isRevisionTerminal, revisionLabel } from '@/lib/contracts/wire/state'
import { shortId } from '@/lib/format/format'
import { revisionSource } from '@/lib/format/revision-source'
import { revisionsQuery } from '@/lib/queries/revisions'
import { revisionName } from '@/lib/stream/experiments'

type Props = {
  workspace: string
  label: string
  /** Undefined until it is known. */
  deployment: Deployment | undefined
  /** '' for the revision that serves. */
  value: string
  /** An earlier row says why the revisions cannot be listed. */
  isRepeated?: boolean | undefined
  onChange: (revision: string) => void
}

const NEWEST = { limit: 100 }

/** Chooses the revision of a column. External servers have none. */
export function RevisionField({ workspace, label, deployment, value, isRepeated, onChange }: Props) {
  const isAsked = deployment !== undefined && deployment.source !== 'external'
  const { data, error, isPending, refetch } = useQuery({
    ...revisionsQuery(workspace, deployment?.id ?? '', NEWEST),
    enabled: isAsked,
  })
  if (deployment?.source === 'external') return null
  const active = deployment?.active_revision_id
  const revisions = data?.resources ?? []
  const chosen = revisions.find(({ id }) => id === value)
  const isUnsupported = error?.code === 'unsupported'
  return (
    <>
      <Select
        aria-label={`${label}: revision`}
        className="sm:w-48"
        title={isUnsupported ? 'This server does not list revisions.' : chosen && describe(chosen, active)}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">Serving revision</option>
        {value && !chosen ? <option value={value}>{shortId(value)}</option> : null}
        {isAsked && isPending && !error ? <option disabled>Loading…</option> : null}
        {revisions.map((one) => (
          <option key={one.id} value={one.id} disabled={!mayServe(one) && one.id !== active}>
            {describe(one, active)}
          </option>
        ))}
        {revisions.length === NEWEST.limit ? (
          <option disabled>Only the newest {NEWEST.limit}. For an older one, choose Experiment on its page.</option>
        ) : null}
      </Select>
      {error && !data && !isUnsupported && !isRepeated ? (
        <ErrorNotice error={error.view} onRetry={() => void refetch()} className="order-last basis-full" />
      ) : null}
      {isAsked && isPending && !error && !isRepeated ? <LateNotice className="order-last basis-full" /> : null}
      {value && deployment && value !== active ? (
        <p className="order-last basis-full text-ink-2 text-xs">
          {`${label}: ${revisionName(value)} is not serving. Its results in earlier experiments on the same inputs are shown; other inputs wait until it serves.`}
        </p>
      ) : null}
    </>
  )
}

/** One that failed or was skipped serves only if it is redeployed, which may fail again. */
const mayServe = ({ status }: Revision) => status === 'DEPLOYED' || !isRevisionTerminal(status)

/** In UTC, so that server and browser render the same text. */
const describe = (revision: Revision, active: string | null | undefined): string =>
  [
    `${shortId(revision.id)}${revision.id === active ? ' (serving)' : ''}`,
    revisionSource(revision),
    revisionLabel(revision.status),
    `${revision.created_at.replace('T', ' ').slice(0, 16)} UTC`,
  ]
    .filter(Boolean)
    .join(' · ')
