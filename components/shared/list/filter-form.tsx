'use client'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Input, Select } from '@/components/ui/input'
import type { Chip, FilterDefinition } from './filters'

type FilterFormProps<Name extends string> = {
  filters: readonly FilterDefinition<Name>[]
  chips: readonly Chip<Name>[]
  /** The filter to change; absent to add one. */
  name: Name | undefined
  onDone: (name: Name, value: string) => void
  onCancel: () => void
}

/** Adds a filter, or changes one. */
export function FilterForm<Name extends string>({ name, filters, chips, onDone, onCancel }: FilterFormProps<Name>) {
  const free = filters.filter((one) => one.name === name || !chips.some((chip) => chip.name === one.name))
  const [chosen, setChosen] = useState(name ?? free[0]?.name)
  const filter = filters.find((one) => one.name === chosen)
  const [value, setValue] = useState(chips.find((chip) => chip.name === name)?.value ?? '')
  const [problem, setProblem] = useState<string>()
  const listId = useId()
  if (!filter) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = filter.problemOf?.(value.trim())
    setProblem(wrong)
    if (value.trim() && !wrong) onDone(filter.name, value.trim())
  }
  const choose = (next: string) => {
    if (next) onDone(filter.name, next)
  }
  // A value from the URL that is not one of the choices still applies.
  const choices = filter.choices?.some((one) => one.value === value) || !value ? filter.choices : undefined
  return (
    <form
      aria-label="Filter"
      className="flex flex-wrap items-center gap-1.5"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onCancel()
      }}
    >
      {name ? (
        <span className="text-ink-2 text-xs">{filter.label}</span>
      ) : (
        <Select
          aria-label="Filter by"
          autoFocus
          className="w-auto"
          value={chosen}
          onChange={(event) => {
            setChosen(event.target.value as Name) // one of the options below
            setValue('')
            setProblem(undefined)
          }}
        >
          {free.map((one) => (
            <option key={one.name} value={one.name}>
              {one.label}
            </option>
          ))}
        </Select>
      )}
      {choices ? (
        <Select
          aria-label={filter.label}
          autoFocus={Boolean(name)}
          className="w-auto"
          value={value}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">Choose…</option>
          {choices.map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </Select>
      ) : (
        <>
          <Input
            aria-label={filter.label}
            aria-invalid={problem ? true : undefined}
            autoFocus={Boolean(name)}
            placeholder={filter.hint ?? filter.label}
            className="w-52"
            value={value}
            list={filter.suggestions ? listId : undefined}
            onChange={(event) => setValue(event.target.value)}
          />
          {filter.suggestions ? (
            <datalist id={listId}>
              {filter.suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          ) : null}
          <Button type="submit" disabled={!value.trim()}>
            Apply
          </Button>
        </>
      )}
      <Button variant="ghost" onClick={onCancel}>
        Cancel
      </Button>
      {problem ? (
        <p role="alert" className="w-full text-error text-xs">
          {problem}
        </p>
      ) : null}
    </form>
  )
}
