'use client'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { saveAlertChannel } from '@/lib/actions/alerts'
import { type AlertChannel, CHANNEL_KINDS, type ChannelKind } from '@/lib/contracts/alerts/alerts'

type Props = {
  workspace: string
  channel: AlertChannel | undefined
  /** Why e-mail cannot be sent. */
  mailProblem: string | null
  onClose: () => void
  onSaved: () => void
}

const KINDS = Object.keys(CHANNEL_KINDS) as ChannelKind[]

/** Adds a channel, or edits `channel`, whose address and secret are never shown. */
export function ChannelDialog({ workspace, channel, mailProblem, onClose, onSaved }: Props) {
  const { isBusy, error, fieldError, save } = useSave<string>()
  const element = useFocusRefused(error)
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? 'webhook')

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim() || undefined
    const recipients = text('recipients')?.split(/[\s,;]+/)
    void save(
      () =>
        saveAlertChannel({
          workspace,
          channel: {
            ...(channel && { id: channel.id }),
            name: text('name') ?? '',
            kind,
            ...(kind === 'email' ? { recipients } : { url: text('url') }),
            ...(kind === 'webhook' && { secret: text('secret') }),
          },
        }),
      onSaved,
    )
  }
  const field = (name: string, label: string, hint: string, more: { type?: string; value?: string } = {}) => {
    const refused = fieldError(`channel.${name}`) ?? fieldError(name)
    return (
      <Field id={`channel-${name}`} label={label} hint={hint} error={refused}>
        <Input
          id={`channel-${name}`}
          name={name}
          type={more.type ?? 'text'}
          defaultValue={more.value}
          autoComplete="off"
          {...describedBy(`channel-${name}`, refused)}
        />
      </Field>
    )
  }
  const kept = channel ? ' Leave empty to keep the current one.' : ''
  return (
    <Dialog open onOpenChange={onClose} title={channel ? `Edit ${channel.name}` : 'Add channel'}>
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        <Field id="channel-kind" label="Kind">
          <Select
            id="channel-kind"
            value={kind}
            disabled={channel !== undefined}
            onChange={(event) => setKind(event.target.value as ChannelKind)} // the options are the kinds
          >
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {CHANNEL_KINDS[one]}
              </option>
            ))}
          </Select>
        </Field>
        {field('name', 'Name', 'As rules show it.', { value: channel?.name })}
        {kind === 'email' ? (
          <>
            {mailProblem ? <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">{mailProblem}</p> : null}
            {field('recipients', 'Recipients', 'E-mail addresses, with commas between.', { value: channel?.target })}
          </>
        ) : (
          field('url', 'URL', `Stored encrypted; only its origin is shown.${kept}`, { type: 'url' })
        )}
        {kind === 'webhook'
          ? field(
              'secret',
              'Signing secret',
              `At least 16 characters. The header X-Pilothouse-Signature has an HMAC-SHA256 of time and body.${kept}`,
              { type: 'password' },
            )
          : null}
        <FormButtons verb="Save channel" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
