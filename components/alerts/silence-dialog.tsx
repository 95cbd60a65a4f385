'use client'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useSave } from '@/components/shared/form/use-save'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { silenceAlerts } from '@/lib/actions/alerts'
import { type AlertRule, SILENCE_HOURS } from '@/lib/contracts/alerts/alerts'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { useReadAgain } from './parts'

type Props = { workspace: string; rules: AlertRule[]; onClose: () => void }

const hoursText = (hours: number) => (hours < 24 ? `${hours} h` : hours === 24 ? '1 day' : `${hours / 24} days`)

/** Keeps channels quiet for some time. The page and the history still show the alerts. */
export function SilenceDialog({ workspace, rules, onClose }: Props) {
  const { isBusy, error, fieldError, save } = useSave<null>()
  const readAgain = useReadAgain(workspace)
  const { data } = useQuery(deploymentsQuery(workspace, { limit: 100 }))

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    void save(
      () =>
        silenceAlerts({
          workspace,
          rule: text('rule') || null,
          deployment: text('deployment') || null,
          reason: text('reason'),
          hours: Number(text('hours')) as (typeof SILENCE_HOURS)[number], // the options are these numbers
        }),
      () => {
        onClose()
        readAgain()
      },
    )
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Silence alerts"
      description="Channels are quiet. What still fires when it ends is sent then."
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        <Field id="silence-rule" label="Rule">
          <Select id="silence-rule" name="rule" defaultValue="">
            <option value="">All rules</option>
            {rules.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field id="silence-deployment" label="Deployment">
          <Select id="silence-deployment" name="deployment" defaultValue="">
            <option value="">All deployments</option>
            {data?.resources.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field id="silence-hours" label="For">
          <Select id="silence-hours" name="hours" defaultValue="1">
            {SILENCE_HOURS.map((hours) => (
              <option key={hours} value={hours}>
                {hoursText(hours)}
              </option>
            ))}
          </Select>
        </Field>
        <Field id="silence-reason" label="Reason" hint="Optional. Others see it." error={fieldError('reason')}>
          <Input
            id="silence-reason"
            name="reason"
            maxLength={300}
            autoComplete="off"
            {...describedBy('silence-reason', fieldError('reason'))}
          />
        </Field>
        <FormButtons verb="Silence" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
