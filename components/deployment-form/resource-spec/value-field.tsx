'use client'
import { Input, Select, Textarea } from '@/components/ui/input'
import { isRecord } from '@/lib/json/guards'
import { KeyTable } from './key-table'
import { type DrawnFields, ListEditor } from './list-editor'
import { fieldId, useProblem } from './problems'
import { RawValue } from './raw-value'
import type { FieldShape, Shape } from './spec-shapes'
import { isUnset, type Path, Unfinished } from './spec-value'
import { TextList } from './text-list'

type ValueFieldProps = {
  Fields: DrawnFields
  field: FieldShape
  path: Path
  value: unknown
  onChange: (value: unknown) => void
}

/** The control for a field. A value of an unexpected type is edited as JSON. */
export function ValueField({ Fields, field, path, value, onChange }: ValueFieldProps) {
  const { shape, label } = field
  if (!fits(shape, value)) return <RawValue path={path} label={`${label} as JSON`} value={value} onChange={onChange} />
  switch (shape.kind) {
    case 'text':
      return <TextField shape={shape} isRequired={field.isRequired} path={path} value={value} onChange={onChange} />
    case 'flag':
      return (
        <Select
          id={fieldId(path)}
          className="w-auto self-start"
          value={isUnset(value) ? '' : String(value)}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value === 'true')}
        >
          <option value="">not set</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </Select>
      )
    case 'texts':
      return <EditedTexts field={field} path={path} value={value} onChange={onChange} />
    case 'map':
      return (
        <KeyTable
          path={path}
          label={label}
          value={value instanceof Unfinished || isRecord(value) ? value : {}}
          onChange={onChange}
        />
      )
    case 'record':
      return (
        <div className="rounded-md border p-3">
          <Fields fields={shape.fields} path={path} value={isRecord(value) ? value : {}} onChange={onChange} />
        </div>
      )
    case 'list':
      return (
        <ListEditor
          Fields={Fields}
          shape={shape}
          label={label}
          path={path}
          value={Array.isArray(value) ? value : []}
          onChange={onChange}
        />
      )
    default:
      return <RawValue path={path} label={label} value={value} onChange={onChange} />
  }
}

type TextFieldProps = Omit<ValueFieldProps, 'Fields' | 'field'> & {
  shape: Shape & { kind: 'text' }
  isRequired?: boolean
}

function TextField({ shape, isRequired, path, value, onChange }: TextFieldProps) {
  const problem = useProblem(path)
  const id = fieldId(path)
  const text = typeof value === 'string' ? value : ''
  const common = {
    id,
    value: text,
    'aria-invalid': problem ? (true as const) : undefined,
    'aria-describedby': `${id}-problem`,
  }
  const set = (next: string) => onChange(next === '' && !isRequired ? undefined : next)
  const { choices } = shape
  return (
    <>
      {choices ? (
        <Select {...common} className="w-auto self-start" onChange={({ target }) => set(target.value)}>
          <option value="">not set</option>
          {[...choices, ...(text && !choices.includes(text) ? [text] : [])].map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </Select>
      ) : shape.isLong ? (
        <Textarea
          {...common}
          rows={Math.min(8, text.split('\n').length)}
          spellCheck={false}
          className="min-h-8 resize-y font-mono text-xs"
          onChange={({ target }) => set(target.value)}
        />
      ) : (
        <Input
          {...common}
          list={shape.suggests}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => set(target.value)}
        />
      )}
      <p id={`${id}-problem`} className="text-error text-xs empty:hidden">
        {problem}
      </p>
    </>
  )
}

const EditedTexts = ({ field: { label, shape }, path, value, onChange }: Omit<ValueFieldProps, 'Fields'>) => (
  <TextList
    path={path}
    label={label}
    noun={shape.kind === 'texts' ? shape.noun : ''}
    value={Array.isArray(value) ? (value as string[]) : []} // `fits` has checked each item
    onChange={onChange}
  />
)

function fits(shape: Shape, value: unknown): boolean {
  if (isUnset(value)) return shape.kind !== 'json' && shape.kind !== 'jsons'
  if (value instanceof Unfinished) return shape.kind === 'map' && typeof value.input !== 'string'
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string'
    case 'flag':
      return typeof value === 'boolean'
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
    case 'map':
      return isRecord(value) && Object.values(value).every((one) => typeof one === 'string')
    case 'record':
      return isRecord(value)
    case 'list':
      return Array.isArray(value)
    default:
      return false
  }
}
