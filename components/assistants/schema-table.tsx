import { VisibleText } from '@/components/shared/text/visible-text'
import { jsonText } from '@/lib/json/value'
import { type Field, type JsonSchema, type Shape, shapeOf, shapeWord } from './schema-shape'

/** The fields of a schema as a table, nested ones below their parents. */
export function SchemaTable({ schema }: { schema: JsonSchema }) {
  const shape = shapeOf(schema)
  const rows = rowsOf(shape, [])
  return (
    <section aria-label="Fields" className="min-w-0 overflow-hidden rounded-lg border bg-panel">
      <h3 className="border-b px-3 py-2 font-semibold text-sm">Fields</h3>
      {rows.length === 0 ? (
        <p className="px-3 py-4 text-ink-3 text-sm">
          {shape.kind === 'object' ? 'No fields.' : `Not an object: ${shapeWord(shape)}.`}
        </p>
      ) : (
        <dl className="divide-y">
          {rows.map(({ field, path }) => (
            <div key={path.join('\n')} className="px-3 py-2" style={{ paddingLeft: `${path.length * 0.75}rem` }}>
              <dt className="flex flex-wrap items-baseline gap-x-2">
                <code className="break-all font-medium font-mono text-xs">
                  <VisibleText>{field.key}</VisibleText>
                </code>
                <span className="text-ink-3 text-xs">
                  {shapeWord(field.shape)}
                  {field.isRequired ? ', required' : ''}
                  {rangeOf(field.shape)}
                </span>
              </dt>
              <dd className="break-words text-ink-2 text-xs">
                {field.description ? <VisibleText>{field.description}</VisibleText> : null}
                {field.fallback === undefined ? null : (
                  <span className="block text-ink-3">
                    Default <code className="break-all font-mono">{jsonText(field.fallback).slice(0, 300)}</code>
                  </span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

type Row = { field: Field; path: string[] }

function rowsOf(shape: Shape, path: string[]): Row[] {
  if (shape.kind === 'list') return rowsOf(shape.item, path)
  if (shape.kind !== 'object') return []
  return shape.fields.flatMap((field) => {
    const here = [...path, field.key]
    return [{ field, path: here }, ...rowsOf(field.shape, here)]
  })
}

const rangeOf = (shape: Shape): string => {
  if (shape.kind !== 'number' || (shape.min === undefined && shape.max === undefined)) return ''
  if (shape.max === undefined) return `, at least ${shape.min}`
  return shape.min === undefined ? `, at most ${shape.max}` : `, ${shape.min} to ${shape.max}`
}
