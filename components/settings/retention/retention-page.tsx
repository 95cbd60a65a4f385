'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { PageHeader } from '@/components/shared/layout/page-header'
import { KeyValues } from '@/components/shared/text/key-values'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { saveRetention } from '@/lib/actions/retention'
import { byteSize, count } from '@/lib/format/format'
import { growthOf } from './growth'

type Usage = Parameters<typeof growthOf>[0] & {
  recordings: number
  tableBytes: number
  auditRows: number
  auditTableBytes: number
}

const MEGABYTE = 1_000_000

/** How long recordings are kept, what they take now, and what becomes of that. For administrators. */
export function RetentionPage({ workspace, usage: initial }: { workspace: string; usage: Usage }) {
  const [usage, setUsage] = useState(initial)
  const { isBusy, error, fieldError, save } = useSave<Usage>()
  const form = useFocusRefused(error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const size = String(data.get('maxBytes')).trim()
    const maxBytes = size === '' ? null : Math.round(Number(size) * MEGABYTE)
    void save(
      () => saveRetention({ workspace, days: Number(data.get('days')), maxBytes }),
      (saved) => {
        setUsage(saved)
        toast.success('Retention saved')
      },
    )
  }
  const [daysError, sizeError] = [fieldError('days'), fieldError('maxBytes')]
  return (
    <>
      <PageHeader title="Retention">
        <p className="mt-1 max-w-2xl text-ink-2">
          Recordings of ended runs are deleted once an hour when they are too old, then the oldest beyond the size. Runs
          in progress are never deleted. Applies to recordings of this workspace. The audit trail is kept until the
          operator exports and removes its oldest entries; traces are kept as long as the tracing API says.
        </p>
      </PageHeader>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <section className="rounded-lg border bg-panel p-4">
          <h2 className="mb-3 font-semibold text-base">Limits</h2>
          <form ref={form} onSubmit={submit} className="flex max-w-sm flex-col gap-3">
            {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
            <Field id="retention-days" label="Days" hint="After the end of the run." error={daysError}>
              <Input
                id="retention-days"
                name="days"
                inputMode="numeric"
                defaultValue={usage.days}
                required
                autoComplete="off"
                {...describedBy('retention-days', daysError)}
              />
            </Field>
            <Field
              id="retention-size"
              label="Size in MB"
              hint="Of all recordings of this workspace. Leave empty for no limit."
              error={sizeError}
            >
              <Input
                id="retention-size"
                name="maxBytes"
                inputMode="decimal"
                defaultValue={usage.maxBytes === null ? '' : usage.maxBytes / MEGABYTE}
                autoComplete="off"
                {...describedBy('retention-size', sizeError)}
              />
            </Field>
            <Button type="submit" variant="primary" disabled={isBusy} className="self-start">
              Save
            </Button>
          </form>
        </section>
        <section className="rounded-lg border bg-panel p-4">
          <h2 className="mb-3 font-semibold text-base">Usage</h2>
          <KeyValues
            items={[
              ['Recordings', count(usage.recordings)],
              ['Size', byteSize(usage.bytes)],
              ['Last 7 days', byteSize(usage.recentBytes)],
              ['Outlook', outlook(usage)],
              ['Recordings on disk', `${byteSize(usage.tableBytes)} for all workspaces, with indexes`],
              [
                'Audit trail',
                `${count(usage.auditRows)} entries; ${byteSize(usage.auditTableBytes)} on disk for all workspaces`,
              ],
            ]}
          />
        </section>
      </div>
    </>
  )
}

function outlook(usage: Usage): string {
  const growth = growthOf(usage)
  if (growth.kind === 'unknown') return 'Unknown until recordings cover a quarter of a day'
  if (growth.kind === 'levels')
    return `≈ ${byteSize(growth.bytes)} after ${count(usage.days)} days, if it goes on like this`
  const when =
    growth.inDays < 1
      ? 'The size limit is reached within a day'
      : `≈ ${count(Math.round(growth.inDays))} days until the size limit`
  return `${when}; recordings are then kept for ≈ ${growth.keptDays < 1 ? 'less than a day' : `${count(Math.round(growth.keptDays))} days`}`
}
