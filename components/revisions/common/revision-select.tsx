import type { Route } from 'next'
import Link from 'next/link'
import { RevisionStatus } from '@/components/shared/feedback/revision-status'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { revisionLabel } from '@/lib/contracts/wire/state'
import { shortId } from '@/lib/format/format'
import { VersionText } from './version-text'

type Props = {
  label: string
  value: string
  revision: Revision | undefined
  rows: readonly Revision[]
  href: Route | undefined
  onChange: (id: string) => void
}

/** In UTC, so that server and browser render the same text. */
const moment = (iso: string) => iso.replace('T', ' ').slice(0, 16)

/** Chooses one side of a comparison. */
export function RevisionSelect({ label, value, revision, rows, href, onChange }: Props) {
  const id = `compare-${label.toLowerCase()}`
  const isListed = rows.some((one) => one.id === value)
  return (
    <div className="min-w-0 rounded-lg border bg-panel p-3">
      <Field id={id} label={label}>
        <Select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {isListed || !value ? null : <option value={value}>{shortId(value)}</option>}
          {rows.map((one) => (
            <option key={one.id} value={one.id}>
              {shortId(one.id)} · {revisionLabel(one.status)} · {moment(one.created_at)} UTC
            </option>
          ))}
        </Select>
      </Field>
      {revision ? (
        <p className="mt-2 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <RevisionStatus status={revision.status} />
          <VersionText config={revision.source_revision_config} />
          {href ? (
            <Link href={href} className="text-accent text-xs hover:underline">
              Open
            </Link>
          ) : null}
        </p>
      ) : null}
    </div>
  )
}
