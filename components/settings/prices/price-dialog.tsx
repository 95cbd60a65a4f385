'use client'

import type { FormEvent } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { savePrice } from '@/lib/actions/prices'
import type { Price, StoredPrice } from '@/lib/traces/cost'
import { amountOf } from '@/lib/traces/prices/price-csv'

type Props = {
  workspace: string
  price: StoredPrice | undefined
  onClose: () => void
  onPrices: (prices: StoredPrice[]) => void
}

/** Adds a price, edits `price`, or replaces a shipped one by one of the workspace. */
export function PriceDialog({ workspace, price, onClose, onPrices }: Props) {
  const { isBusy, error, fieldError, save } = useSave<StoredPrice[]>()
  const element = useFocusRefused(error)
  const isOwn = price !== undefined && !price.source

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void save(() => savePrice({ workspace, ...(isOwn && { id: price.id }), price: readPrice(form) }), onPrices)
  }
  const field = (
    name: keyof Price,
    label: string,
    more: { hint?: string; type?: string; isRequired?: boolean } = {},
  ) => {
    const refused = fieldError(`price.${name}`) ?? fieldError(name)
    return (
      <Field id={`price-${name}`} label={label} hint={more.hint} error={refused}>
        <Input
          id={`price-${name}`}
          name={name}
          type={more.type ?? 'text'}
          inputMode={AMOUNTS.has(name) ? 'decimal' : undefined}
          defaultValue={price?.[name] ?? ''}
          required={more.isRequired}
          autoComplete="off"
          {...describedBy(`price-${name}`, refused)}
        />
      </Field>
    )
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={
        isOwn ? `Edit the price of ${price.model}` : price ? `Replace the shipped price of ${price.model}` : 'Add price'
      }
    >
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        {field('model', 'Model', {
          hint: 'As it appears in traces. * matches any text, for example gpt-5*.',
          isRequired: true,
        })}
        {field('provider', 'Provider', {
          hint: 'As it appears in traces, for example openai. Leave empty for any provider.',
        })}
        <p className="text-ink-3 text-xs">US dollars per million tokens</p>
        <div className="grid grid-cols-2 gap-3">
          {field('input', 'Input', { isRequired: true })}
          {field('output', 'Output', { isRequired: true })}
          {field('cachedInput', 'Cached input', { hint: 'Leave empty to use the input price.' })}
          {field('reasoning', 'Reasoning', { hint: 'Leave empty to use the output price.' })}
          {field('cacheWrite', 'Cache write', { hint: 'Leave empty for 1.25 times the input price.' })}
          {field('cacheWrite1h', 'Cache write, 1 h', { hint: 'Leave empty for twice the input price.' })}
        </div>
        {field('validFrom', 'From', {
          type: 'date',
          hint: 'First day (UTC) that this price applies. Leave empty for all days.',
        })}
        <FormButtons verb={isOwn ? 'Save changes' : 'Add price'} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

const AMOUNTS: ReadonlySet<string> = new Set([
  ...['input', 'output', 'cachedInput', 'reasoning', 'cacheWrite', 'cacheWrite1h'],
])

function readPrice(form: FormData): Price {
  const text = (name: keyof Price) => String(form.get(name) ?? '').trim()
  // The server rejects NaN with an error for the field.
  const amount = (name: keyof Price) => amountOf(text(name)) ?? Number.NaN
  const optionalAmount = (name: keyof Price) => (text(name) === '' ? null : amount(name))
  return {
    model: text('model'),
    provider: text('provider') || null,
    input: amount('input'),
    output: amount('output'),
    cachedInput: optionalAmount('cachedInput'),
    reasoning: optionalAmount('reasoning'),
    cacheWrite: optionalAmount('cacheWrite'),
    cacheWrite1h: optionalAmount('cacheWrite1h'),
    validFrom: text('validFrom') || null,
  }
}
