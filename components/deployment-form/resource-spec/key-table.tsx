'use client'
import { Plus, X } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { fieldId, useProblem } from './problems'
import { objectOf, type Path, type Row, type Spec, Unfinished } from './spec-value'

type KeyTableProps = { path: Path; label: string; value: Spec | Unfinished; onChange: (value: unknown) => void }

/** Keys with text values. Rows with duplicate keys are kept until one is renamed. */
export function KeyTable({ path, label, value, onChange }: KeyTableProps) {
  const rows: readonly Row[] =
    value instanceof Unfinished ? (typeof value.input === 'string' ? [] : value.input) : Object.entries(value)
  const problem = useProblem(path, { isDeep: true })
  const id = fieldId(path)
  const put = (next: readonly Row[]) => onChange(next.length === 0 ? undefined : objectOf(next))
  const edit = (at: number, row: Row) => put(rows.map((one, place) => (place === at ? row : one)))
  return (
    <fieldset id={id} aria-label={label} className="min-w-0 flex flex-col gap-1.5">
      {rows.map(([key, text], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position, because its key is being edited
        <div key={at} className="flex items-center gap-1.5">
          <Input
            aria-label={`Key ${at + 1} of ${label}`}
            className="min-w-0 flex-1 font-mono text-xs"
            autoComplete="off"
            value={key}
            aria-invalid={
              problem && (key === '' || rows.some(([other], place) => place !== at && other === key)) ? true : undefined
            }
            onChange={(event) => edit(at, [event.target.value, text])}
          />
          <Input
            aria-label={`Value ${at + 1} of ${label}`}
            className="min-w-0 flex-1 font-mono text-xs"
            autoComplete="off"
            value={String(text)}
            onChange={(event) => edit(at, [key, event.target.value])}
          />
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${key || `row ${at + 1}`} of ${label}`}
            onClick={() => put(rows.filter((_, place) => place !== at))}
          >
            <X aria-hidden />
          </Button>
        </div>
      ))}
      <p className="text-error text-xs empty:hidden">{problem}</p>
      <Button size="sm" className="self-start" onClick={() => put([...rows, ['', '']])}>
        <Plus aria-hidden />
        Add to {label.toLowerCase()}
      </Button>
    </fieldset>
  )
}
