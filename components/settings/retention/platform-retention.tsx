'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { KeyValues } from '@/components/shared/text/key-values'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { savePlatformRetention } from '@/lib/actions/retention'
import type { Kept, PlatformRetention } from '@/lib/contracts/deployments/retention'
import { byteSize, count } from '@/lib/format/format'
import { growthOf, growthText } from './growth'

const MEGABYTE = 1_000_000
const PARTS = {
  traces: {
    title: 'Traces',
    what: 'Whole traces are deleted once an hour when they are too old, then the oldest of each project beyond the size.',
    one: 'project',
    sizeHint: 'Of inputs, outputs and events. On disk, traces take more.',
    mayBeEmpty: false,
  },
  runs: {
    title: 'Runs on the agent servers',
    what: 'Only rows of ended runs are deleted. Threads, their state and history stay, and so does the newest run of a thread that needs input or failed.',
    one: 'deployment',
    sizeHint: 'Leave empty for no limit.',
    mayBeEmpty: true,
  },
} as const
type Part = keyof typeof PARTS

type FormsProps = {
  workspace: string
  kept: PlatformRetention
  /** Names of other workspaces with the same control plane. */
  sharedWith: string[]
}

/** How long the platform keeps traces and runs, and what they take. */
export function PlatformRetentionForms({ workspace, kept: initial, sharedWith }: FormsProps) {
  const [kept, setKept] = useState(initial)
  return (
    <>
      <p className="mt-5 max-w-2xl text-ink-2">
        Traces and runs belong to the control plane. Their limits apply to every workspace that uses it
        {sharedWith.length > 0 ? <strong>: also to {new Intl.ListFormat('en').format(sharedWith)}</strong> : null}.
      </p>
      <div className="mt-3 grid items-start gap-5 lg:grid-cols-2">
        {(Object.keys(PARTS) as Part[]).map((part) => (
          <Limits key={part} workspace={workspace} part={part} kept={kept[part]} onSaved={setKept} />
        ))}
      </div>
    </>
  )
}

type Props = { workspace: string; part: Part; kept: Kept; onSaved: (kept: PlatformRetention) => void }

function Limits({ workspace, part, kept, onSaved }: Props) {
  const { title, what, one, sizeHint, mayBeEmpty } = PARTS[part]
  const { isBusy, error, fieldError, save } = useSave<PlatformRetention>()
  const form = useFocusRefused(error)
  const [daysError, sizeError] = [
    fieldError(`patch.${part}.max_age_days`) ?? fieldError(`${part}.max_age_days`),
    fieldError(`patch.${part}.max_bytes`) ?? fieldError(`${part}.max_bytes`),
  ]

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const read = (name: string) => {
      const text = String(data.get(name)).trim()
      return text === '' && mayBeEmpty ? null : Number(text)
    }
    const megabytes = read('size')
    const limits = {
      max_age_days: read('days'),
      max_bytes: megabytes === null ? null : Math.round(megabytes * MEGABYTE),
    }
    void save(
      // What may not be empty is refused by the server, at its field.
      () => savePlatformRetention({ workspace, patch: { [part]: limits } }),
      (saved) => {
        onSaved(saved)
        toast.success('Retention saved')
      },
    )
  }
  const ids = [`${part}-days`, `${part}-size`] as const
  const { largest } = kept
  const used = largest && {
    ...{ days: kept.max_age_days, maxBytes: kept.max_bytes, bytes: largest.bytes },
    ...{ recentBytes: largest.recent_bytes, recentDays: largest.recent_days },
  }
  return (
    <section aria-label={title} className="rounded-lg border bg-panel p-4">
      <h2 className="font-semibold text-base">{title}</h2>
      <p className="mt-0.5 mb-3 text-ink-2">{what}</p>
      {kept.is_fixed ? (
        <p className="mb-3">
          Set by the operator: {kept.max_age_days} days,{' '}
          {kept.max_bytes === null ? 'any size' : byteSize(kept.max_bytes)} per {one}.
        </p>
      ) : (
        <form ref={form} onSubmit={submit} className="mb-4 flex max-w-sm flex-col gap-3">
          {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
          <Field id={ids[0]} label="Days" hint={mayBeEmpty ? 'Leave empty for no limit.' : undefined} error={daysError}>
            <Input
              id={ids[0]}
              name="days"
              inputMode="numeric"
              defaultValue={kept.max_age_days ?? ''}
              required={!mayBeEmpty}
              autoComplete="off"
              {...describedBy(ids[0], daysError)}
            />
          </Field>
          <Field id={ids[1]} label={`Size in MB per ${one}`} hint={sizeHint} error={sizeError}>
            <Input
              id={ids[1]}
              name="size"
              inputMode="decimal"
              defaultValue={kept.max_bytes === null ? '' : kept.max_bytes / MEGABYTE}
              required={!mayBeEmpty}
              autoComplete="off"
              {...describedBy(ids[1], sizeError)}
            />
          </Field>
          <Button type="submit" variant="primary" disabled={isBusy} className="self-start">
            Save
          </Button>
        </form>
      )}
      <KeyValues
        items={[
          [part === 'traces' ? 'Steps' : 'Runs', count(kept.count)],
          ['Size', byteSize(kept.bytes)],
          ['On disk', kept.disk_bytes !== null && `${byteSize(kept.disk_bytes)}, with indexes`],
          [`Largest ${one}`, largest && `${largest.name}: ${byteSize(largest.bytes)}`],
          ['Its outlook', used && growthText(growthOf(used), kept.max_age_days)],
        ]}
      />
    </section>
  )
}
