'use client'
import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, lazy, Suspense, useState } from 'react'
import { Button } from '@/components/ui/button'
import type { FilterForm as Form } from './filter-form'
import type { Chip, FilterDefinition } from './filters'

// Loaded by the pointer or the focus that comes before a press.
const load = () => import('./filter-form').then(({ FilterForm }) => ({ default: FilterForm }))
const prepare = () => void load().catch(() => {})
const FilterForm = lazy(load) as unknown as typeof Form // `lazy` forgets the type parameter

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
  const toAdd = (
    <Button variant="ghost" onPointerEnter={prepare} onFocus={prepare} onClick={() => edit({})}>
      <Plus aria-hidden />
      Add filter
    </Button>
  )
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
                onPointerEnter={prepare}
                onFocus={prepare}
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
        <Suspense fallback={toAdd}>
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
        </Suspense>
      ) : (
        toAdd
      )}
      {chips.length > 1 && !edited ? (
        <Button variant="ghost" onClick={onClear}>
          Clear
        </Button>
      ) : null}
    </>
  )
}
