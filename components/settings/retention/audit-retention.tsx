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
import { confirmAuditExport, saveAuditRetention } from '@/lib/actions/retention'
import { byteSize, count } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { growthOf, growthText } from './growth'

export type AuditKept = {
  /** Null: for good. */
  days: number | null
  rows: number
  bytes: number
  recentBytes: number
  recentDays: number
  oldestAt: string | null
  /** When the oldest is removed; null if nothing allows that yet. */
  dueAt: string | null
  exportedThrough: number
  exportedAt: string | null
  mayChange: boolean
}

/** How long the audit trail of all workspaces is kept, and how far it is exported. */
export function AuditRetention({ kept: initial }: { kept: AuditKept }) {
  const [kept, setKept] = useState(initial)
  const { days, exportedThrough, exportedAt, oldestAt } = kept
  return (
    <section aria-label="Audit trail" className="mt-5 rounded-lg border bg-panel p-4">
      <h2 className="font-semibold text-base">Audit trail</h2>
      <p className="mt-0.5 mb-3 max-w-2xl text-ink-2">
        One trail for all workspaces. An entry is removed when it is too old and an administrator of the console has
        confirmed that they hold it in a file. The rest and the files can still be verified together.
      </p>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {kept.mayChange ? (
          <div className="flex max-w-sm flex-col gap-5">
            <Days days={days} onSaved={setKept} />
            <Export onSaved={setKept} />
          </div>
        ) : (
          <p>Its limit is set by administrators of the console.</p>
        )}
        <KeyValues
          items={[
            ['Kept', days === null ? 'For good' : `${count(days)} days, if exported`],
            ['Entries', count(kept.rows)],
            ['Oldest', oldestAt ? <RelativeTime key="oldest" at={oldestAt} /> : 'None'],
            ['Size on disk', `${byteSize(kept.bytes)}, with indexes`],
            ['Last 7 days', `≈ ${byteSize(kept.recentBytes)}`],
            ['Outlook', growthText(growthOf({ ...kept, maxBytes: null }), days)],
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
            ['Next removal', <NextRemoval key="next" kept={kept} />],
          ]}
        />
      </div>
    </section>
  )
}

function NextRemoval({ kept: { days, dueAt } }: { kept: AuditKept }) {
  if (days === null) return 'None: all entries are kept'
  if (dueAt === null) return 'After an export of the oldest entry is confirmed'
  return (
    <>
      Within an hour of <time dateTime={dueAt}>{dueAt.slice(0, 16).replace('T', ' ')} UTC</time>, if the trail is whole
    </>
  )
}

type FormProps = { onSaved: (kept: AuditKept) => void }

function Days({ days, onSaved }: FormProps & { days: number | null }) {
  const { isBusy, error, fieldError, save } = useSave<AuditKept>()
  const form = useFocusRefused(error)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('days')).trim()
    void save(
      () => saveAuditRetention({ days: text === '' ? null : Number(text) }),
      (saved) => {
        onSaved(saved)
        toast.success('Retention saved')
      },
    )
  }
  const daysError = fieldError('days')
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-3">
      {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
      <Field id="audit-days" label="Days" hint="Leave empty to keep all entries." error={daysError}>
        <Input
          id="audit-days"
          name="days"
          inputMode="numeric"
          defaultValue={days ?? ''}
          autoComplete="off"
          {...describedBy('audit-days', daysError)}
        />
      </Field>
      <Button type="submit" variant="primary" disabled={isBusy} className="self-start">
        Save
      </Button>
    </form>
  )
}

function Export({ onSaved }: FormProps) {
  const { isBusy, error, fieldError, save } = useSave<AuditKept>()
  const form = useFocusRefused(error)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const target = event.currentTarget
    const sha256 = String(new FormData(target).get('sha256'))
    void save(
      () => confirmAuditExport({ sha256 }),
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
        <a href={routes.auditTrailFile()} download>
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
