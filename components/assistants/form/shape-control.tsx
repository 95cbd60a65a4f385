'use client'
import { Plus, X } from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Input, Select, Textarea } from '@/components/ui/input'
import type { JsonPath } from '@/lib/json/difference'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import type { Field, Shape } from '../schema-shape'
import { JsonField } from './json-field'
import { fieldId, useProblemAt } from './problems'

/** Renders the fields of an object. Passed in to avoid an import cycle, because fields can be objects. */
export type DrawnObject = ComponentType<{
  fields: readonly Field[]
  path: JsonPath
  value: Readonly<Record<string, unknown>>
  onChange: (value: Record<string, unknown>) => void
}>

type Props = {
  DrawnObject: DrawnObject
  shape: Shape
  path: JsonPath
  label: string
  value: unknown
  /** `undefined`: not set. */
  onChange: (value: unknown) => void
}

/** The control for a shape. A value that does not fit the schema is edited as JSON. */
export function ShapeControl(props: Props) {
  const { DrawnObject, shape, path, label, value, onChange } = props
  if (!fits(shape, value)) return <JsonField path={path} label={`${label} as JSON`} value={value} onChange={onChange} />
  switch (shape.kind) {
    case 'text':
      return <TextControl {...props} isLong={shape.isLong} />
    case 'number':
      return <NumberControl {...props} isWhole={shape.isWhole} />
    case 'flag':
      return <ChoiceControl {...props} choices={[true, false]} />
    case 'choice':
      return <ChoiceControl {...props} choices={shape.choices} />
    case 'list':
      return <ListControl {...props} item={shape.item} />
    case 'object':
      return isRecord(value) ? (
        <fieldset aria-label={label} className="min-w-0 rounded-md border p-3">
          <DrawnObject fields={shape.fields} path={path} value={value} onChange={onChange} />
        </fieldset>
      ) : (
        <Button size="sm" className="self-start" onClick={() => onChange({})}>
          <Plus aria-hidden />
          Set {label}
        </Button>
      )
    default:
      return (
        <JsonField
          path={path}
          label={`${label} as ${shape.takesText ? 'text or JSON' : 'JSON'}`}
          value={value}
          onChange={onChange}
          takesText={shape.takesText}
        />
      )
  }
}

function fits(shape: Shape, value: unknown): boolean {
  if (value === undefined) return true
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' || (typeof value === 'object' && value !== null && 'isLosslessNumber' in value)
    case 'flag':
      return typeof value === 'boolean'
    case 'choice':
      return ['string', 'number', 'boolean'].includes(typeof value)
    case 'list':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    default:
      return true
  }
}

/** The attributes of a control, and the error below it. */
function useControl({ path }: Props) {
  const { problem, report } = useProblemAt(path)
  const id = fieldId(path)
  return {
    report,
    common: {
      id,
      'aria-invalid': problem ? (true as const) : undefined,
      'aria-describedby': `${id}-problem ${id}-hint`,
    },
    said: (
      <p id={`${id}-problem`} role="alert" className="text-error text-xs empty:hidden">
        {problem}
      </p>
    ),
  }
}

function TextControl(props: Props & { isLong: boolean }) {
  const { value, onChange, isLong } = props
  const { common, said } = useControl(props)
  const text = typeof value === 'string' ? value : ''
  // An unset text stays unset until the user types; clearing it again leaves an empty text.
  const set = (next: string) => onChange(next)
  return (
    <>
      {isLong || text.includes('\n') ? (
        <Textarea
          {...common}
          rows={Math.min(10, Math.max(3, text.split('\n').length))}
          className="resize-y"
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      ) : (
        <Input {...common} autoComplete="off" value={text} onChange={({ target }) => set(target.value)} />
      )}
      {said}
    </>
  )
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

function NumberControl(props: Props & { isWhole: boolean }) {
  const { value, onChange, isWhole } = props
  const { common, said, report } = useControl(props)
  const [text, setText] = useState(() => (value === undefined ? '' : String(value)))
  // The value was cleared elsewhere.
  const shown = value === undefined && NUMBER.test(text) ? '' : text
  const set = (next: string) => {
    setText(next)
    const given = next.trim()
    const isNumber = NUMBER.test(given) && (!isWhole || /^-?\d+$/.test(given))
    report(given === '' || isNumber ? undefined : isWhole ? 'Enter a whole number.' : 'Enter a number.')
    if (given === '') onChange(undefined)
    else if (isNumber) onChange(parseJson(given))
  }
  return (
    <>
      <Input
        {...common}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        autoComplete="off"
        className="w-48"
        value={shown}
        onChange={({ target }) => set(target.value)}
      />
      {said}
    </>
  )
}

function ChoiceControl(props: Props & { choices: readonly (string | number | boolean)[] }) {
  const { value, onChange, choices } = props
  const { common, said } = useControl(props)
  // Keeps a value that is not one of the choices.
  const all = value === undefined || choices.includes(value as string) ? choices : [...choices, value as string]
  const at = all.indexOf(value as string)
  return (
    <>
      <Select
        {...common}
        className="w-auto max-w-full self-start"
        value={at === -1 ? '' : String(at)}
        onChange={({ target }) => onChange(target.value === '' ? undefined : all[Number(target.value)])}
      >
        <option value="">not set</option>
        {all.map((one, index) => (
          <option key={`${typeof one} ${one}`} value={index}>
            {String(one)}
          </option>
        ))}
      </Select>
      {said}
    </>
  )
}

let lastId = 0
const newIds = (number: number) => Array.from({ length: number }, () => ++lastId)

function ListControl({ DrawnObject, item, path, label, value, onChange }: Props & { item: Shape }) {
  const list = Array.isArray(value) ? (value as unknown[]) : []
  // Items are keyed by id, not position, so that removing one does not mix up the text typed in others.
  const [given, setIds] = useState(() => newIds(list.length))
  const ids = given.length === list.length ? given : newIds(list.length)
  if (ids !== given) setIds(ids)
  const add = () => {
    setIds([...ids, ...newIds(1)])
    onChange([...list, firstOf(item)])
  }
  const remove = (at: number) => {
    setIds(ids.filter((_, place) => place !== at))
    onChange(list.filter((_, place) => place !== at))
  }
  return (
    <fieldset id={fieldId(path)} aria-label={label} className="flex min-w-0 flex-col gap-2">
      {list.map((one, at) => (
        <div key={ids[at]} className="flex min-w-0 items-start gap-1.5">
          <div className="flex min-w-0 flex-1 flex-col gap-1">
            <label htmlFor={fieldId([...path, at])} className="sr-only">
              {label} {at + 1}
            </label>
            <ShapeControl
              DrawnObject={DrawnObject}
              shape={item}
              path={[...path, at]}
              label={`${label} ${at + 1}`}
              value={one}
              onChange={(next) => onChange(list.map((was, place) => (place === at ? (next ?? null) : was)))}
            />
          </div>
          <Button variant="ghost" size="icon" aria-label={`Remove ${label} ${at + 1}`} onClick={() => remove(at)}>
            <X aria-hidden />
          </Button>
        </div>
      ))}
      <Button size="sm" className="self-start" onClick={add}>
        <Plus aria-hidden />
        Add to {label}
      </Button>
    </fieldset>
  )
}

const firstOf = (shape: Shape): unknown =>
  shape.kind === 'text'
    ? ''
    : shape.kind === 'number'
      ? 0
      : shape.kind === 'flag'
        ? false
        : shape.kind === 'choice'
          ? shape.choices[0]
          : shape.kind === 'list'
            ? []
            : {}
