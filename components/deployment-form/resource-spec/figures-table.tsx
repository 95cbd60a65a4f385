'use client'
import { X } from 'lucide-react'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { DEFAULT_RULES, type Figure, withDefaults } from '@/lib/contracts/deployments/resource-defaults'
import { fieldId, useProblem } from './problems'
import { DO_NOT_USE_ROWS, FIGURE_GROUPS } from './spec-shapes'
import { asDouble, isNumeric, isUnset, numberOf, type Spec } from './spec-value'

type FiguresProps = { spec: Spec; onChange: (field: Figure, value: unknown) => void }
type Row = (typeof DO_NOT_USE_ROWS)[number]

/** All numeric settings by part of the deployment, each with its effective value. */
export function Figures({ spec, onChange }: FiguresProps) {
  const unused = DO_NOT_USE_ROWS.filter(({ field }) => !isUnset(spec[field]))
  const effective = withDefaults(doublesOf(spec))
  const draw = (rows: readonly Row[], isUnwanted = false) =>
    rows.map((row) => (
      <FigureLine
        key={row.field}
        row={row}
        value={spec[row.field]}
        effective={effective[row.field] ?? undefined}
        isUnwanted={isUnwanted}
        onChange={(value) => onChange(row.field, value)}
      />
    ))
  return (
    <div className="@container">
      <div className="grid items-start gap-4 @min-[50rem]:grid-cols-2">
        {FIGURE_GROUPS.map(({ title, note, rows }) => (
          <Group key={title} title={title} note={note}>
            {draw(rows)}
          </Group>
        ))}
        {unused.length > 0 ? (
          <Group title="Reserved" note="Reserved by the platform. They are kept until you remove them.">
            {draw(unused, true)}
          </Group>
        ) : null}
      </div>
    </div>
  )
}

const Group = ({ title, note, children }: { title: string; note?: string; children: React.ReactNode }) => (
  <section aria-label={title} className="rounded-lg border bg-panel p-4">
    <h3 className="font-semibold text-sm">{title}</h3>
    {note ? <p className="text-ink-3 text-xs">{note}</p> : null}
    <div
      aria-hidden
      className="mt-2 grid grid-cols-[minmax(0,1fr)_8.5rem_6.5rem] gap-x-3 border-b pb-1 text-ink-3 text-xs max-sm:hidden"
    >
      <span>Field</span>
      <span>Set</span>
      <span>In effect</span>
    </div>
    {children}
  </section>
)

type LineProps = {
  row: Row
  value: unknown
  effective: number | undefined
  isUnwanted: boolean
  onChange: (value: unknown) => void
}

function FigureLine({ row: { field, label, unit }, value, effective, isUnwanted, onChange }: LineProps) {
  const problem = useProblem([field])
  const id = fieldId([field])
  const rule = ruleOf(field)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_8.5rem] items-center gap-x-3 gap-y-0.5 border-b py-1.5 last:border-b-0 sm:grid-cols-[minmax(0,1fr)_8.5rem_6.5rem]">
      <label htmlFor={id} className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 text-sm">
          {label}
          {isUnwanted ? <Badge>reserved</Badge> : null}
        </span>{' '}
        <code className="block truncate font-mono text-ink-3 text-xs" title={field}>
          {field}
        </code>
      </label>
      <span className="flex items-center gap-1.5">
        <Input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          className="w-20 tabular-nums"
          value={
            isUnset(value) ? '' : isNumeric(value) || typeof value === 'string' ? String(value) : JSON.stringify(value)
          }
          placeholder={effective === undefined ? undefined : String(effective)}
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-about`}
          onChange={(event) => onChange(numberOf(event.target.value))}
        />
        <span className="text-ink-3 text-xs">{unit}</span>
      </span>
      <span className="flex items-center gap-1 text-xs max-sm:col-span-2">
        <span className="min-w-0 flex-1 text-ink-2 tabular-nums">
          <span className="text-ink-3 sm:hidden">In effect: </span>
          {effective === undefined ? (
            <span className="text-ink-3">server default</span>
          ) : (
            `${effective} ${effective === 1 ? unit.replace(/s$/, '') : unit}`
          )}
          {rule && isUnset(value) ? <span className="block text-ink-3 max-sm:inline"> {rule}</span> : null}
        </span>
        {isUnwanted ? (
          <Button variant="ghost" size="icon" aria-label={`Remove ${field}`} onClick={() => onChange(undefined)}>
            <X aria-hidden />
          </Button>
        ) : null}
      </span>
      <p id={`${id}-about`} className="col-span-full text-error text-xs empty:hidden">
        {problem}
      </p>
    </div>
  )
}

const RULES = new Map(
  DEFAULT_RULES.map(({ field, from, times }) => [field, times === 1 ? `as ${from}` : `${times} × ${from}`]),
)
const ruleOf = (field: Figure) => RULES.get(field)

const FIELDS = [...FIGURE_GROUPS.flatMap(({ rows }) => rows), ...DO_NOT_USE_ROWS].map(({ field }) => field)

function doublesOf(spec: Spec): { [Field in Figure]?: number } {
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const number = asDouble(spec[field])
      return number === undefined ? [] : [[field, number]]
    }),
  )
}
