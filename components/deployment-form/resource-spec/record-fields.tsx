'use client'
import { X } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { parseJson } from '@/lib/json/lossless'
import { fieldId, useProblem } from './problems'
import type { FieldShape, Shape } from './spec-shapes'
import { isUnset, othersOf, type Path, type Spec, withKey } from './spec-value'
import { ValueField } from './value-field'

type RecordFieldsProps = {
  fields: readonly FieldShape[]
  path: Path
  value: Spec
  onChange: (value: Spec) => void
}

/** The fields of one object: common fields, rare fields that are set, a menu to add more, and the names of unknown fields. */
export function RecordFields({ fields, path, value, onChange }: RecordFieldsProps) {
  const at = (key: string) => (Object.hasOwn(value, key) ? value[key] : undefined)
  const drawn = fields.filter(({ key, isRare }) => !isRare || at(key) !== undefined)
  const more = fields.filter((field) => !drawn.includes(field))
  const others = Object.keys(othersOf(value, new Set(fields.map(({ key }) => key))))
  return (
    <div className="flex flex-col gap-3">
      {drawn.map((field) => (
        <RecordField
          key={field.key}
          field={field}
          path={[...path, field.key]}
          value={at(field.key)}
          onChange={(next) => onChange(withKey(value, field.key, next))}
        />
      ))}
      {others.length > 0 && path.length > 0 ? (
        <p className="text-ink-2 text-xs">
          Also set, and kept: <code className="break-all font-mono">{others.join(', ')}</code>. Edit them as JSON.
        </p>
      ) : null}
      {more.length > 0 ? (
        <Select
          aria-label="Add field"
          className="h-7 w-auto self-start text-xs"
          value=""
          onChange={({ target }) => {
            const field = more.find(({ key }) => key === target.value)
            if (field) onChange(withKey(value, field.key, startOf(field.shape)))
          }}
        >
          <option value="">Add field…</option>
          {more.map(({ key, label }) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </Select>
      ) : null}
    </div>
  )
}

type RecordFieldProps = { field: FieldShape; path: Path; value: unknown; onChange: (value: unknown) => void }

export function RecordField({ field, path, value, onChange }: RecordFieldProps) {
  const { key, label, hint, shape, isRare, isRequired } = field
  const isOne = shape.kind === 'text' || shape.kind === 'flag'
  // The other kinds of field show their own errors.
  const problem = useProblem(path)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-center gap-2">
        {isOne ? (
          <label htmlFor={fieldId(path)} className="font-medium text-xs">
            {label}
            {isRequired ? <span className="font-normal text-ink-3"> required</span> : null}
          </label>
        ) : (
          <span className="font-medium text-xs">{label}</span>
        )}
        <code className="font-mono text-2xs text-ink-3">{key}</code>
        {isRare ? (
          <Button
            variant="ghost"
            size="icon"
            className="size-5"
            aria-label={`Remove ${label}`}
            onClick={() => onChange(undefined)}
          >
            <X aria-hidden />
          </Button>
        ) : null}
      </div>
      {hint ? <p className="text-ink-3 text-xs">{hint}</p> : null}
      <ValueField Fields={RecordFields} field={field} path={path} value={value} onChange={onChange} />
      {shape.kind === 'list' || shape.kind === 'record' || (isUnset(value) && !isOne) ? (
        <p className="text-error text-xs empty:hidden">{problem}</p>
      ) : null}
    </div>
  )
}

/** The initial value of a rare field. */
function startOf(shape: Shape): unknown {
  if (shape.kind === 'json' || shape.kind === 'jsons') return parseJson(shape.start)
  if (shape.kind === 'text') return shape.choices?.[0] ?? ''
  return shape.kind === 'flag' ? false : shape.kind === 'texts' || shape.kind === 'list' ? [] : {}
}
