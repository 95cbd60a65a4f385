'use client'
import { ArrowDown, ArrowUp, Braces, Copy, Plus, X } from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { isRecord } from '@/lib/json/guards'
import { fieldId, useProblemCount } from './problems'
import { RawValue } from './raw-value'
import type { FieldShape, Shape } from './spec-shapes'
import { moved, type Path, type Spec } from './spec-value'

/** Renders the fields of one object. Passed in to avoid an import cycle, because fields can be lists of objects. */
export type DrawnFields = ComponentType<{
  fields: readonly FieldShape[]
  path: Path
  value: Spec
  onChange: (value: Spec) => void
}>

type ListEditorProps = {
  Fields: DrawnFields
  shape: Shape & { kind: 'list' }
  label: string
  path: Path
  value: readonly unknown[]
  onChange: (value: unknown) => void
}

let lastId = 0
const newIds = (count: number) => Array.from({ length: count }, () => ++lastId)

/** A list of objects that can be added, duplicated, removed and moved. Each is edited as a form or as JSON. */
export function ListEditor({ Fields, shape: { noun, fields, start }, label, path, value, onChange }: ListEditorProps) {
  // Items are keyed by id, not position, so that a moved item keeps its open state.
  const [given, setIds] = useState(() => newIds(value.length))
  const ids = given.length === value.length ? given : newIds(value.length)
  if (ids !== given) setIds(ids)
  const [fresh, setFresh] = useState<number>()
  const put = (items: readonly unknown[], itemIds: readonly number[]) => {
    setIds([...itemIds])
    onChange(items.length === 0 ? undefined : items)
  }
  const insert = (at: number, item: unknown) => {
    const [id = 0] = newIds(1)
    setFresh(id)
    put([...value.slice(0, at), item, ...value.slice(at)], [...ids.slice(0, at), id, ...ids.slice(at)])
  }
  const move = (from: number, to: number) => put(moved(value, from, to), moved(ids, from, to))
  return (
    <fieldset id={fieldId(path)} aria-label={label} className="min-w-0 flex flex-col gap-2">
      {value.map((item, at) => (
        <ListItem
          key={ids[at]}
          Fields={Fields}
          name={`${noun} ${at + 1}`}
          fields={fields}
          path={[...path, at]}
          value={item}
          isFresh={ids[at] === fresh}
          onChange={(next) => onChange(value.map((one, place) => (place === at ? next : one)))}
          onUp={at > 0 ? () => move(at, at - 1) : undefined}
          onDown={at < value.length - 1 ? () => move(at, at + 1) : undefined}
          onDuplicate={() => insert(at + 1, item)}
          onRemove={() =>
            put(
              value.filter((_, place) => place !== at),
              ids.filter((_, place) => place !== at),
            )
          }
        />
      ))}
      <Button size="sm" className="self-start" onClick={() => insert(value.length, start)}>
        <Plus aria-hidden />
        Add {noun}
      </Button>
    </fieldset>
  )
}

type ListItemProps = {
  Fields: DrawnFields
  name: string
  fields: readonly FieldShape[]
  path: Path
  value: unknown
  isFresh: boolean
  onChange: (value: unknown) => void
  onUp?: () => void
  onDown?: () => void
  onDuplicate: () => void
  onRemove: () => void
}

function ListItem({
  Fields,
  name,
  fields,
  path,
  value,
  isFresh,
  onChange,
  onUp,
  onDown,
  onDuplicate,
  onRemove,
}: ListItemProps) {
  const [isOpen, setOpen] = useState<boolean | undefined>(isFresh || undefined)
  const [isRaw, setRaw] = useState(false)
  const problems = useProblemCount(path)
  const isDrawn = isRecord(value) && !isRaw
  const title = isRecord(value) && typeof value.name === 'string' && value.name ? value.name : name
  const open = isOpen ?? problems > 0
  return (
    <fieldset aria-label={name} className="min-w-0 rounded-md border">
      <div className="flex flex-wrap items-center gap-1 px-2 py-1">
        <button
          type="button"
          aria-expanded={open}
          className="flex min-w-0 flex-1 items-center gap-2 text-left"
          onClick={() => setOpen(!open)}
        >
          <span aria-hidden className="text-ink-3">
            {open ? '▾' : '▸'}
          </span>
          <span className="min-w-0 truncate font-medium font-mono text-xs">{title}</span>
          <span className="shrink-0 text-ink-3 text-xs max-sm:hidden">{title === name ? '' : name}</span>
          {problems > 0 ? <Badge className="border-error/40 text-error">{problems} to fix</Badge> : null}
        </button>
        <Button variant="ghost" size="icon" disabled={!onUp} aria-label={`Move ${name} up`} onClick={onUp}>
          <ArrowUp aria-hidden />
        </Button>
        <Button variant="ghost" size="icon" disabled={!onDown} aria-label={`Move ${name} down`} onClick={onDown}>
          <ArrowDown aria-hidden />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Edit ${name} as JSON`}
          aria-pressed={!isDrawn}
          disabled={!isRecord(value)}
          onClick={() => {
            setRaw(!isRaw)
            setOpen(true)
          }}
        >
          <Braces aria-hidden />
        </Button>
        <Button variant="ghost" size="icon" aria-label={`Duplicate ${name}`} onClick={onDuplicate}>
          <Copy aria-hidden />
        </Button>
        <Button variant="ghost" size="icon" aria-label={`Remove ${name}`} onClick={onRemove}>
          <X aria-hidden />
        </Button>
      </div>
      {open ? (
        <div className="border-t p-3">
          {isDrawn ? (
            <Fields fields={fields} path={path} value={value} onChange={onChange} />
          ) : (
            <RawValue path={path} label={`${name} as JSON`} value={value} onChange={onChange} />
          )}
        </div>
      ) : null}
    </fieldset>
  )
}
