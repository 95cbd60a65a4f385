'use client'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import type { JsonPath } from '@/lib/json/difference'
import { isRecord } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import { type Field, shapeWord } from '../schema-shape'
import { withKey } from './draft'
import { JsonField } from './json-field'
import { fieldId } from './problems'
import { ShapeControl } from './shape-control'

type Props = {
  fields: readonly Field[]
  path: JsonPath
  value: Readonly<Record<string, unknown>>
  onChange: (value: Record<string, unknown>) => void
}

/** The fields of a schema, each with its control. Keys that the schema does not have are shown below and kept. */
export function ObjectFields({ fields, path, value, onChange }: Props) {
  const known = new Set(fields.map(({ key }) => key))
  const others = Object.fromEntries(Object.entries(value).filter(([key]) => !known.has(key)))
  const setOthers = (next: unknown) => {
    const kept = Object.entries(value).filter(([key]) => known.has(key))
    onChange(Object.fromEntries([...kept, ...Object.entries(isRecord(next) ? next : {})]))
  }
  const checkOthers = (next: unknown) => {
    if (!isRecord(next)) return 'Enter a JSON object.'
    const twice = Object.keys(next).find((key) => known.has(key))
    return twice === undefined ? undefined : `“${twice}” has a field of its own above.`
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {fields.map((field) => (
        <FieldRow
          key={field.key}
          field={field}
          path={[...path, field.key]}
          value={Object.hasOwn(value, field.key) ? value[field.key] : undefined}
          onChange={(next) => onChange(withKey(value, field.key, next))}
        />
      ))}
      {fields.length === 0 || Object.keys(others).length > 0 ? (
        <div className="flex min-w-0 flex-col gap-1">
          <p className="font-medium text-xs">
            {fields.length === 0 ? 'As JSON' : 'Other keys'}
            <span className="ml-2 font-normal text-ink-3">
              {fields.length === 0 ? 'the schema names no fields' : 'not in the schema; they are kept'}
            </span>
          </p>
          <JsonField
            path={[...path, '…']}
            label="Other keys as JSON"
            value={others}
            onChange={setOthers}
            check={checkOthers}
          />
        </div>
      ) : null}
    </div>
  )
}

type RowProps = { field: Field; path: JsonPath; value: unknown; onChange: (value: unknown) => void }

function FieldRow({ field, path, value, onChange }: RowProps) {
  const { label, description, isRequired, fallback, shape } = field
  const id = fieldId(path)
  const isSet = value !== undefined
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-6 flex-wrap items-baseline gap-x-2">
        <label htmlFor={id} className="break-all font-medium text-xs">
          <VisibleText>{label}</VisibleText>
        </label>
        <span className="text-ink-3 text-xs">
          {shapeWord(shape)}
          {isRequired ? ', required' : ''}
        </span>
        {isSet ? (
          <Button
            variant="ghost"
            size="sm"
            className="ml-auto h-6"
            aria-label={`Clear ${label}`}
            onClick={() => onChange(undefined)}
          >
            Clear
          </Button>
        ) : (
          <span className="ml-auto text-ink-3 text-xs">not set</span>
        )}
      </div>
      <ShapeControl
        DrawnObject={ObjectFields}
        shape={shape}
        path={path}
        label={label}
        value={value}
        onChange={onChange}
      />
      <p id={`${id}-hint`} className="break-words text-ink-3 text-xs empty:hidden">
        {description ? <VisibleText>{description}</VisibleText> : null}
        {fallback === undefined ? null : (
          <>
            {description ? '. ' : ''}Default <code className="font-mono">{jsonText(fallback).slice(0, 200)}</code>
          </>
        )}
      </p>
    </div>
  )
}
