'use client'
import { useRouter } from 'next/navigation'
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
import type { AuditKept } from '@/lib/contracts/audit/limits'
import type { PlatformRetention } from '@/lib/contracts/deployments/retention'
import type { Result } from '@/lib/errors'
import { byteSize, count } from '@/lib/format/format'
import { AuditRetention } from './audit-retention'
import { growthOf, growthText } from './growth'
import { PlatformRetentionForms } from './platform-retention'

type Usage = Parameters<typeof growthOf>[0] & {
  days: number
  recordings: number
  tableBytes: number
  moved: number
  movedBytes: number
  movesAfterDays: number | null
}

type Props = {
  workspace: string
  usage: Usage
  audit: AuditKept
  /** Null where the platform has no such settings. */
  platform: Result<PlatformRetention | null>
  /** Names of other workspaces with the same control plane. */
  sharedWith: string[]
}

const MEGABYTE = 1_000_000

function movedText({ moved, movedBytes, movesAfterDays }: Usage): string {
  const held =
    moved === 0 ? 'None yet' : `${count(moved)} of the recordings, ${byteSize(movedBytes)} before compression`
  if (movesAfterDays === null) return `${held}. It is not set up any more, so they do not open.`
  if (movesAfterDays === 0) return `${held}. Recordings move there within an hour after the end of the run.`
  return `${held}. Recordings move there ${movesAfterDays === 1 ? '1 day' : `${count(movesAfterDays)} days`} after the end of the run.`
}

/** How long recordings are kept, what they take now, and what becomes of that. For administrators. */
export function RetentionPage({ workspace, usage: initial, audit, platform, sharedWith }: Props) {
  const router = useRouter()
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
          in progress are never deleted. Applies to recordings of this workspace.{' '}
          {platform.ok && !platform.data ? 'Traces and runs are kept as long as their servers keep them.' : null}
        </p>
      </PageHeader>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <section className="rounded-lg border bg-panel p-4">
          <h2 className="mb-3 font-semibold text-base">Recordings</h2>
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
          <h2 className="mb-3 font-semibold text-base">What they take</h2>
          <KeyValues
            items={[
              ['Recordings', count(usage.recordings)],
              ['Size', byteSize(usage.bytes)],
              ['Last 7 days', byteSize(usage.recentBytes)],
              ['Outlook', growthText(growthOf(usage), usage.days)],
              ['Recordings on disk', `${byteSize(usage.tableBytes)} for all workspaces, with indexes`],
              ...(usage.moved > 0 || usage.movesAfterDays !== null
                ? [['Object storage', movedText(usage)] satisfies [string, string]]
                : []),
            ]}
          />
        </section>
      </div>
      <AuditRetention workspace={workspace} kept={audit} />
      {!platform.ok ? (
        <ErrorNotice error={platform.error} onRetry={router.refresh} className="mt-5" />
      ) : platform.data ? (
        <PlatformRetentionForms workspace={workspace} kept={platform.data} sharedWith={sharedWith} />
      ) : null}
    </>
  )
}
