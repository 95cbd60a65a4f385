'use client'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Checkbox } from '@/components/ui/checkbox'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { saveAlertRule } from '@/lib/actions/alerts'
import {
  ALERT_FIELDS,
  ALERT_KINDS,
  type AlertChannel,
  type AlertField,
  type AlertKind,
  type AlertRule,
} from '@/lib/contracts/alerts/alerts'
import { deploymentsQuery } from '@/lib/queries/deployments'

type Props = {
  workspace: string
  rule: AlertRule | undefined
  channels: AlertChannel[]
  onClose: () => void
  onSaved: () => void
}

const KINDS = Object.keys(ALERT_KINDS) as AlertKind[]

/** Adds a rule, or edits `rule`. */
export function RuleDialog({ workspace, rule, channels, onClose, onSaved }: Props) {
  const { isBusy, error, fieldError, save } = useSave<string>()
  const element = useFocusRefused(error)
  const [kind, setKind] = useState<AlertKind>(rule?.kind ?? 'unhealthy')
  const [chosen, setChosen] = useState<string[] | null>(rule?.deployments ?? null)
  const fields: readonly AlertField[] = ALERT_KINDS[kind].fields

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const settings = Object.fromEntries(fields.map((field) => [field, Number(form.get(field))]))
    void save(
      () =>
        saveAlertRule({
          workspace,
          rule: {
            ...(rule && { id: rule.id }),
            name: String(form.get('name')),
            kind,
            settings,
            deployments: chosen,
            channels: form.getAll('channel').map(String),
            isEnabled: form.get('enabled') !== null,
          },
        }),
      onSaved,
    )
  }
  return (
    <Dialog open onOpenChange={onClose} title={rule ? `Edit ${rule.name}` : 'Add rule'}>
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        <Field id="rule-kind" label="Alert when" hint={ALERT_KINDS[kind].hint}>
          <Select
            id="rule-kind"
            value={kind}
            onChange={(event) => setKind(event.target.value as AlertKind)} // the options are the kinds
            {...describedBy('rule-kind')}
          >
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {ALERT_KINDS[one].label}
              </option>
            ))}
          </Select>
        </Field>
        <Field id="rule-name" label="Name" error={fieldError('rule.name') ?? fieldError('name')}>
          <Input
            key={kind}
            id="rule-name"
            name="name"
            required
            maxLength={80}
            autoComplete="off"
            defaultValue={rule?.kind === kind ? rule.name : ALERT_KINDS[kind].label}
            {...describedBy('rule-name', fieldError('rule.name') ?? fieldError('name'))}
          />
        </Field>
        {fields.length > 0 ? (
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
            {fields.map((field) => {
              const { label, min, max, usual } = ALERT_FIELDS[field]
              const refused = fieldError(`rule.settings.${field}`)
              return (
                <Field key={field} id={`rule-${field}`} label={label} error={refused}>
                  <Input
                    id={`rule-${field}`}
                    name={field}
                    type="number"
                    step="any"
                    min={min}
                    max={max}
                    required
                    defaultValue={rule?.settings[field] ?? usual}
                    {...describedBy(`rule-${field}`, refused)}
                  />
                </Field>
              )
            })}
          </div>
        ) : null}
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 font-medium text-xs">Send to</legend>
          {channels.map(({ id, name }) => (
            <Checkbox key={id} name="channel" value={id} label={name} defaultChecked={rule?.channels.includes(id)} />
          ))}
          {channels.length === 0 ? (
            <p className="text-ink-3 text-xs">No channels yet. Alerts are listed here, and nobody is told.</p>
          ) : null}
        </fieldset>
        <Checkbox
          label="Only for some deployments"
          checked={chosen !== null}
          onChange={(event) => setChosen(event.target.checked ? [] : null)}
        />
        {chosen ? <Deployments workspace={workspace} chosen={chosen} onChange={setChosen} /> : null}
        {fieldError('rule.deployments') ? (
          <p role="alert" className="text-error text-xs">
            {fieldError('rule.deployments')}
          </p>
        ) : null}
        <Checkbox name="enabled" label="On" defaultChecked={rule?.isEnabled ?? true} />
        <FormButtons verb="Save rule" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** The first deployments of the workspace, and those that are chosen. */
function Deployments({
  workspace,
  chosen,
  onChange,
}: {
  workspace: string
  chosen: string[]
  onChange: (chosen: string[]) => void
}) {
  const { data, error } = useQuery(deploymentsQuery(workspace, { limit: 100 }))
  const names = new Map(data?.resources.map(({ id, name }) => [id, name]))
  const all = [...new Set([...chosen, ...names.keys()])]
  return (
    <fieldset className="flex max-h-40 flex-col gap-1 overflow-y-auto rounded-md border p-3">
      <legend className="px-1 font-medium text-xs">Deployments</legend>
      {error && !data ? <ErrorNotice error={error.view} /> : null}
      {data || error ? null : <p className="text-ink-3 text-xs">Loading…</p>}
      {all.map((id) => (
        <Checkbox
          key={id}
          label={names.get(id) ?? id}
          checked={chosen.includes(id)}
          onChange={(event) => onChange(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
      {data && data.resources.length >= 100 ? <p className="text-ink-3 text-xs">The first 100 are listed.</p> : null}
    </fieldset>
  )
}
