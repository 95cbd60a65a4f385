'use client'

import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Input, Select } from '@/components/ui/input'

type Search = Pick<URLSearchParams, 'get'>
type Props = {
  search: Search
  /** The spans that end now. */
  spans: readonly { value: string; label: string }[]
  /** The one chosen if the URL names none. */
  usual: string
  onSet: (change: Record<string, string>) => void
}

/** `2026-11-21T14:05` in local time, the format of a datetime-local input. */
function localTime(iso: string | null): string {
  const at = iso ? Date.parse(iso) : Number.NaN
  if (Number.isNaN(at)) return ''
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
const isoOf = (local: string): string => (local ? new Date(local).toISOString() : '')

/** Chooses a time span: one that ends now, or a custom one. */
export function SpanSelect({ search, spans, usual, onSet }: Props) {
  const hasOwn = !!search.get('from')
  const [isEditing, setEditing] = useState(false)
  const isOwn = hasOwn || isEditing
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const from = isoOf(String(given.get('from') ?? ''))
    if (from) onSet({ since: '', from, to: isoOf(String(given.get('to') ?? '')) })
    setEditing(false)
  }
  return (
    <>
      <Select
        aria-label="Time"
        className="w-auto"
        value={isOwn ? 'custom' : (spans.find(({ value }) => value === search.get('since'))?.value ?? usual)}
        onChange={({ target }) => {
          setEditing(target.value === 'custom')
          if (target.value !== 'custom') onSet({ since: target.value === usual ? '' : target.value, from: '', to: '' })
        }}
      >
        {spans.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        <option value="custom">From … to …</option>
      </Select>
      {isOwn ? (
        <form
          key={`${search.get('from')} ${search.get('to')}`}
          aria-label="Time from and to"
          className="flex flex-wrap items-center gap-1.5"
          onSubmit={submit}
        >
          <Input
            aria-label="From"
            name="from"
            type="datetime-local"
            required
            className="w-auto"
            defaultValue={localTime(search.get('from'))}
          />
          <Input
            aria-label="To; empty for now"
            name="to"
            type="datetime-local"
            className="w-auto"
            defaultValue={localTime(search.get('to'))}
          />
          <Button type="submit">Apply</Button>
        </form>
      ) : null}
    </>
  )
}
