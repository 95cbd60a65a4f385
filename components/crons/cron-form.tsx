'use client'
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { ErrorView } from '@/lib/errors'
import { UTC } from '@/lib/format/format'
import { nameOfAssistant } from '@/lib/queries/assistants'
import { type CronDraft, type CronField, endField, type Problems, problemsOf } from './cron-draft'
import { FiringsPreview } from './firings-preview'
import type { CronViews, InputCheck } from './input-view'
import { useAssistants } from './use-assistants'

type Props = {
  place: DeploymentPlace
  views: CronViews
  draft: CronDraft
  onChange: (change: Partial<CronDraft>) => void
  /** The input of an existing cron as the server has it. */
  savedInput?: string
  /** For an existing cron, whose assistant and thread cannot be changed. */
  isEdit?: boolean
  verb: string
  isBusy: boolean
  error?: ErrorView
  /** The server's error for a field, by its name in the request. */
  fieldError: (path: string) => string | undefined
  notice?: ReactNode
  onSubmit: () => void
  onCancel: () => void
}

/** The form for a cron: assistant, schedule, thread and input. */
export function CronForm(props: Props) {
  const {
    place,
    views,
    draft,
    savedInput,
    onChange,
    isEdit,
    verb,
    isBusy,
    error,
    fieldError,
    notice,
    onSubmit,
    onCancel,
  } = props
  const reason = useReasons().run
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const inputCheck = useRef<InputCheck>(undefined)
  const [problems, setProblems] = useState<Problems>({})
  const [isChoosing, setChoosing] = useState(false)
  const change = (part: Partial<CronDraft>) => {
    setProblems((now) => Object.fromEntries(Object.entries(now).filter(([field]) => !(field in part))))
    onChange(part)
  }
  const said = (field: CronField, wire: string = field) => problems[field] ?? fieldError(wire)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || reason) return
    const found = problemsOf(draft)
    setProblems(found)
    const isInputSound = (await inputCheck.current?.()) ?? true
    if (isInputSound && Object.keys(found).length === 0) return onSubmit()
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const json = (field: 'context' | 'metadata' | 'rest', label: string, hint: string) => (
    <div className="flex flex-col gap-1">
      <p className="font-medium text-xs">{label}</p>
      <JsonEditor
        label={`${label} as JSON`}
        value={draft[field]}
        onChange={(text) => change({ [field]: text })}
        describedBy={`${id}-${field}`}
        isInvalid={said(field) !== undefined}
        minHeight={90}
        maxHeight={320}
      />
      <p id={`${id}-${field}`} className={said(field) ? 'text-error text-xs' : 'text-ink-3 text-xs'}>
        {said(field) ?? hint}
      </p>
    </div>
  )
  return (
    <form ref={form} onSubmit={submit} className="grid max-w-5xl gap-x-8 gap-y-5 lg:grid-cols-2">
      <div className="flex flex-col gap-4">
        <AssistantField
          {...place}
          draft={draft}
          isFixed={isEdit}
          error={said('assistant', 'assistant_id')}
          onChange={change}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            id={`${id}-schedule`}
            label="Schedule"
            hint="Minute, hour, day of month, month, day of week"
            error={said('schedule')}
          >
            <Input
              id={`${id}-schedule`}
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
              value={draft.schedule}
              onChange={({ target }) => change({ schedule: target.value })}
              {...describedBy(`${id}-schedule`, said('schedule'))}
            />
          </Field>
          <ZoneField id={`${id}-zone`} value={draft.timezone} error={said('timezone')} onChange={change} />
        </div>
        <FiringsPreview id={`${id}-firings`} schedule={draft.schedule} timezone={draft.timezone} end={draft.end} />
        <Field
          id={`${id}-end`}
          label="End (UTC)"
          hint="Optional. No runs after this time."
          error={said('end', 'end_time')}
        >
          <Input
            id={`${id}-end`}
            type="datetime-local"
            className="w-auto"
            value={endField.of(draft.end)}
            onChange={({ target }) => change({ end: endField.read(target.value) })}
            {...describedBy(`${id}-end`, said('end', 'end_time'))}
          />
        </Field>
        <Field
          id={`${id}-thread`}
          label="Thread"
          hint={isEdit ? 'Cannot be changed.' : 'Id of the thread to run on. Empty: a new thread each time.'}
          error={fieldError('thread_id')}
        >
          <Input
            id={`${id}-thread`}
            className="font-mono"
            autoComplete="off"
            spellCheck={false}
            disabled={isEdit}
            value={draft.thread}
            onChange={({ target }) => change({ thread: target.value.trim() })}
            {...describedBy(`${id}-thread`)}
          />
        </Field>
        {isEdit ? null : isChoosing ? (
          <views.Threads {...place} chosen={draft.thread} onChoose={(thread) => change({ thread })} />
        ) : (
          <Button size="sm" className="self-start" onClick={() => setChoosing(true)}>
            Choose a recent thread
          </Button>
        )}
        {draft.thread === '' ? (
          <Checkbox
            label="Keep created threads"
            hint="Otherwise each thread is deleted when its run ends."
            checked={draft.keeps}
            onChange={({ target }) => change({ keeps: target.checked })}
          />
        ) : null}
        <Checkbox
          label="Enabled"
          hint="A disabled cron keeps its settings but does not run."
          checked={draft.isEnabled}
          onChange={({ target }) => change({ isEnabled: target.checked })}
        />
      </div>
      <div className="flex flex-col gap-4">
        <views.Input
          place={place}
          assistant={draft.assistant}
          value={draft.input}
          onChange={(input) => change({ input })}
          saved={savedInput}
          error={said('input')}
          check={inputCheck}
        />
        {json('context', 'Context', 'A JSON object that overrides the assistant’s context.')}
        {json('metadata', 'Metadata', 'A JSON object. Also added to each run.')}
        {json('rest', 'More of the request', 'config, webhook, interrupt_before, durability, stream_mode …')}
      </div>
      <div className="flex flex-col gap-3 lg:col-span-2">
        {notice}
        {error ? <ErrorNotice error={error} /> : null}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" isBusy={isBusy} reason={reason}>
            {verb}
          </Button>
          <Button disabled={isBusy} onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </div>
    </form>
  )
}

type AssistantFieldProps = {
  workspace: string
  deploymentId: string
  draft: CronDraft
  isFixed?: boolean
  error?: string
  onChange: (change: Partial<CronDraft>) => void
}

function AssistantField({ workspace, deploymentId, draft, isFixed, error, onChange }: AssistantFieldProps) {
  const id = useId()
  const { assistants, error: failure, refetch } = useAssistants(workspace, deploymentId)
  const isKnown = assistants?.some((one) => one.assistant_id === draft.assistant)
  return (
    <div className="space-y-1">
      <Field
        id={id}
        label="Assistant"
        hint={
          isFixed
            ? 'Cannot be changed. Create another cron to run another assistant.'
            : 'Each run uses its active version.'
        }
        error={error}
      >
        <Select
          id={id}
          value={draft.assistant}
          disabled={isFixed}
          onChange={({ target }) => onChange({ assistant: target.value })}
          {...describedBy(id, error)}
        >
          {isKnown ? null : <option value={draft.assistant}>{draft.assistant || 'Choose…'}</option>}
          {assistants?.map((one) => (
            <option key={one.assistant_id} value={one.assistant_id}>
              {nameOfAssistant(one)}
            </option>
          ))}
        </Select>
      </Field>
      {failure ? <ErrorNotice error={failure.view} onRetry={() => void refetch()} /> : null}
    </div>
  )
}

type ZoneFieldProps = {
  id: string
  value: string
  error?: string
  onChange: (change: Partial<CronDraft>) => void
}

function ZoneField({ id, value, error, onChange }: ZoneFieldProps) {
  // The many time zone names are loaded only when the field is used.
  const [zones, setZones] = useState<readonly string[]>([UTC])
  return (
    <Field
      id={id}
      label="Time zone"
      hint={value === UTC ? 'Default: UTC' : 'Follows daylight saving time'}
      error={error}
    >
      <Input
        id={id}
        list={`${id}-zones`}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onFocus={() => setZones([UTC, ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== UTC)])}
        onChange={({ target }) => onChange({ timezone: target.value.trim() })}
        {...describedBy(id, error)}
      />
      <datalist id={`${id}-zones`}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </Field>
  )
}
