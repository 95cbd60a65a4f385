'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { KeyValues } from '@/components/shared/text/key-values'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { confirmAuditExport, saveAuditLimits, saveAuditRetention } from '@/lib/actions/retention'
import { withBasePath } from '@/lib/base-path'
import type { AuditKept, AuditLimits, AuditPart } from '@/lib/contracts/audit/limits'
import type { Result } from '@/lib/errors'
import { byteSize, count } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { growthOf, growthText } from './growth'

const MEGABYTE = 1_000_000

/** How much of the audit trail is kept, for the workspace and for the console, and how far it is exported. */
export function AuditRetention({ workspace, kept: initial }: { workspace: string; kept: AuditKept }) {
  const [kept, setKept] = useState(initial)
  const { exportedThrough, exportedAt, rest, trail } = kept
  return (
    <>
      <section aria-label="Audit trail" className="mt-5 rounded-lg border bg-panel p-4">
        <h2 className="font-semibold text-base">Audit trail</h2>
        <p className="mt-0.5 mb-3 max-w-2xl text-ink-2">
          Entries about this workspace are removed when they are too old, and the oldest when they take too much. Only
          entries that an administrator of the console has exported leave, and the rest can still be verified.
        </p>
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <Limits
            id="audit"
            limits={kept.own}
            empty={{
              days: `Leave empty for the console's limit: ${daysText(rest.days)}.`,
              size: `Leave empty for the console's limit: ${sizeText(rest.maxBytes)}.`,
            }}
            save={(limits) => saveAuditLimits({ workspace, ...limits })}
            onSaved={setKept}
          />
          <KeyValues items={factsOf(kept.workspace, exportedThrough)} />
        </div>
      </section>
      <section aria-label="Audit trail of the console" className="mt-5 rounded-lg border bg-panel p-4">
        <h2 className="font-semibold text-base">Audit trail of the console</h2>
        <p className="mt-0.5 mb-3 max-w-2xl text-ink-2">
          The limits of workspaces without their own, and of entries about no workspace, such as accounts. The trail is
          one for all workspaces, and is exported as a whole.
        </p>
        <div className="grid items-start gap-5 lg:grid-cols-2">
          {kept.mayChange ? (
            <div className="flex max-w-sm flex-col gap-5">
              <Limits
                id="console-audit"
                limits={rest}
                empty={{ days: 'Leave empty for no limit.', size: 'For each workspace. Leave empty for no limit.' }}
                save={(limits) => saveAuditRetention({ workspace, ...limits })}
                onSaved={setKept}
              />
              <Export workspace={workspace} onSaved={setKept} />
            </div>
          ) : (
            <p>Its limits are set by administrators of the console.</p>
          )}
          <KeyValues
            items={[
              ...factsOf(rest, exportedThrough, ' about no workspace'),
              ['All workspaces', `${count(trail.rows)} entries, ${byteSize(trail.bytes)} on disk with indexes`],
              [
                'Exported',
                exportedAt ? (
                  <span key="exported">
                    Up to entry {count(exportedThrough)}, confirmed <RelativeTime at={exportedAt} />
                  </span>
                ) : (
                  'Nothing yet'
                ),
              ],
            ]}
          />
        </div>
      </section>
    </>
  )
}

const daysText = (days: number | null) => (days === null ? 'none' : `${count(days)} days`)
const sizeText = (bytes: number | null) => (bytes === null ? 'none' : byteSize(bytes))

function keptText({ days, maxBytes }: AuditLimits): string {
  const limits = [days === null ? [] : daysText(days), maxBytes === null ? [] : `${byteSize(maxBytes)} at most`].flat()
  return limits.length === 0 ? 'For good' : `${limits.join(', ')}, if exported`
}

const factsOf = (part: AuditPart, exportedThrough: number, about = ''): Parameters<typeof KeyValues>[0]['items'] => [
  ['Kept', keptText(part)],
  ['Entries', `${count(part.rows)}${about}`],
  ['Oldest', part.oldest ? <RelativeTime key="oldest" at={part.oldest.at} /> : 'None'],
  ['Size', byteSize(part.bytes)],
  ['Last 7 days', byteSize(part.recentBytes)],
  ['Outlook', growthText(growthOf(part), part.days)],
  ['Next removal', <NextRemoval key="next" part={part} exportedThrough={exportedThrough} />],
]

function NextRemoval({ part, exportedThrough }: { part: AuditPart; exportedThrough: number }) {
  const { days, maxBytes, oldest, dueAt } = part
  if (days === null && maxBytes === null) return 'None: all entries are kept'
  if (!oldest) return 'None: there are no entries'
  if (oldest.seq > exportedThrough) return 'After an export of the oldest entry is confirmed'
  if (dueAt === null) return 'When the size limit is reached'
  const at = new Date(dueAt).toISOString()
  return (
    <>
      Within an hour of <time dateTime={at}>{at.slice(0, 16).replace('T', ' ')} UTC</time>, if the trail is whole
    </>
  )
}

type LimitsProps = {
  id: string
  limits: AuditLimits
  /** What empty fields mean. */
  empty: { days: string; size: string }
  save: (limits: AuditLimits) => Promise<Result<AuditKept>>
  onSaved: (kept: AuditKept) => void
}

function Limits({ id, limits, empty, save: send, onSaved }: LimitsProps) {
  const { isBusy, error, fieldError, save } = useSave<AuditKept>()
  const form = useFocusRefused(error)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const read = (name: string, unit = 1) => {
      const text = String(data.get(name)).trim()
      return text === '' ? null : Number(text) * unit
    }
    const megabytes = read('maxBytes', MEGABYTE)
    void save(
      () => send({ days: read('days'), maxBytes: megabytes === null ? null : Math.round(megabytes) }),
      (saved) => {
        onSaved(saved)
        toast.success('Retention saved')
      },
    )
  }
  const [daysId, sizeId] = [`${id}-days`, `${id}-size`]
  const [daysError, sizeError] = [fieldError('days'), fieldError('maxBytes')]
  return (
    <form ref={form} onSubmit={submit} className="flex max-w-sm flex-col gap-3">
      {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
      <Field id={daysId} label="Days" hint={empty.days} error={daysError}>
        <Input
          id={daysId}
          name="days"
          inputMode="numeric"
          defaultValue={limits.days ?? ''}
          autoComplete="off"
          {...describedBy(daysId, daysError)}
        />
      </Field>
      <Field id={sizeId} label="Size in MB" hint={empty.size} error={sizeError}>
        <Input
          id={sizeId}
          name="maxBytes"
          inputMode="decimal"
          defaultValue={limits.maxBytes === null ? '' : limits.maxBytes / MEGABYTE}
          autoComplete="off"
          {...describedBy(sizeId, sizeError)}
        />
      </Field>
      <Button type="submit" variant="primary" disabled={isBusy} className="self-start">
        Save
      </Button>
    </form>
  )
}

function Export({ workspace, onSaved }: { workspace: string; onSaved: (kept: AuditKept) => void }) {
  const { isBusy, error, fieldError, save } = useSave<AuditKept>()
  const form = useFocusRefused(error)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const target = event.currentTarget
    const sha256 = String(new FormData(target).get('sha256'))
    void save(
      () => confirmAuditExport({ workspace, sha256 }),
      (saved) => {
        target.reset()
        onSaved(saved)
        toast.success('Export confirmed')
      },
    )
  }
  const sumError = fieldError('sha256')
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-3">
      <Button asChild className="self-start">
        <a href={withBasePath(routes.auditTrailFile())} download>
          Download new entries
        </a>
      </Button>
      {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
      <Field
        id="audit-sum"
        label="SHA-256 of the stored file"
        hint="As sha256sum prints it, where you keep the file."
        error={sumError}
      >
        <Input
          id="audit-sum"
          name="sha256"
          required
          autoComplete="off"
          spellCheck={false}
          {...describedBy('audit-sum', sumError)}
        />
      </Field>
      <Button type="submit" disabled={isBusy} className="self-start">
        Confirm export
      </Button>
    </form>
  )
}
