'use client'
import { Plus, X } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Input, Select } from '@/components/ui/input'
import type { Chip, FilterDefinition } from './filters'

type FilterChipsProps<Name extends string> = {
  /** All available filters. */
  filters: readonly FilterDefinition<Name>[]
  /** The active filters. */
  chips: readonly Chip<Name>[]
  onSet: (name: Name, value: string) => void
  onClear: () => void
  /** The form to add or change a filter opens. */
  onOpen?: (() => void) | undefined
}

/** The active filters, each removable, and a menu to add one. Delete or Backspace removes the focused chip. */
export function FilterChips<Name extends string>({ filters, chips, onSet, onClear, onOpen }: FilterChipsProps<Name>) {
  const [edited, setEdited] = useState<{ name?: Name }>()
  const edit = (which: { name?: Name }) => {
    onOpen?.()
    setEdited(which)
  }
  const remove = (name: Name) => {
    setEdited(undefined)
    onSet(name, '')
  }
  const onKey = (event: KeyboardEvent, name: Name) => {
    if (event.key !== 'Delete' && event.key !== 'Backspace') return
    event.preventDefault()
    remove(name)
  }
  return (
    <>
      {chips.length > 0 ? (
        <ul aria-label="Filters" className="flex min-w-0 flex-wrap items-center gap-1.5">
          {chips.map(({ name, label, text }) => (
            <li key={name} className="flex max-w-full items-center rounded-md border border-line-strong bg-panel">
              <button
                type="button"
                className="min-w-0 truncate rounded-l-md px-2 text-xs leading-[1.875rem] hover:bg-hover"
                title={`Change: ${label} ${text}`}
                onClick={() => edit({ name })}
                onKeyDown={(event) => onKey(event, name)}
              >
                <span className="text-ink-3">{label}:</span> {text}
              </button>
              <button
                type="button"
                aria-label={`Remove filter ${label}`}
                className="flex size-7 shrink-0 items-center justify-center rounded-r-md text-ink-3 hover:bg-hover hover:text-ink"
                onClick={() => remove(name)}
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      {edited ? (
        <FilterForm
          key={edited.name ?? ''}
          name={edited.name}
          filters={filters}
          chips={chips}
          onDone={(name, value) => {
            setEdited(undefined)
            onSet(name, value)
          }}
          onCancel={() => setEdited(undefined)}
        />
      ) : (
        <Button variant="ghost" onClick={() => edit({})}>
          <Plus aria-hidden />
          Add filter
        </Button>
      )}
      {chips.length > 1 && !edited ? (
        <Button variant="ghost" onClick={onClear}>
          Clear
        </Button>
      ) : null}
    </>
  )
}

type FilterFormProps<Name extends string> = Omit<FilterChipsProps<Name>, 'onSet' | 'onClear' | 'onOpen'> & {
  /** The filter to change; absent to add one. */
  name: Name | undefined
  onDone: (name: Name, value: string) => void
  onCancel: () => void
}

function FilterForm<Name extends string>({ name, filters, chips, onDone, onCancel }: FilterFormProps<Name>) {
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
