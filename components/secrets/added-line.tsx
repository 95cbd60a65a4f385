'use client'
import { Undo2 } from 'lucide-react'
import { ValueInput } from '@/components/shared/form/value-input'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import type { Added } from './draft'

type AddedLineProps = {
  added: Added
  problem: string | undefined
  onChange: (added: Added) => void
  onUndo: (id: number) => void
}

/** A new secret in the draft. */
export function AddedLine({ added, problem, onChange, onUndo }: AddedLineProps) {
  const { id, name, value, note } = added
  return (
    <tr className="border-b bg-accent-soft/40 align-top last:border-b-0">
      <td colSpan={3} className="px-3 py-2">
        <div className="flex flex-wrap items-start gap-2">
          <Input
            aria-label="Name of new secret"
            aria-invalid={problem ? true : undefined}
            className="min-w-0 font-mono base:basis-full base:sm:basis-64"
            value={name}
            autoComplete="off"
            spellCheck={false}
            data-1p-ignore
            data-lpignore="true"
            onChange={(event) => onChange({ ...added, name: event.target.value })}
          />
          <ValueInput
            id={`added-value-${id}`}
            label={`Value of ${name}`}
            placeholder="Empty"
            value={value}
            onChange={(next) => onChange({ ...added, value: next })}
          />
          <span className="py-1.5">
            <Badge>added</Badge>
          </span>
        </div>
        {problem ? (
          <p role="alert" className="pt-1 text-error text-xs">
            {problem}
          </p>
        ) : null}
        {note ? <p className="pt-1 text-ink-3 text-xs">{note}</p> : null}
      </td>
      <td className="px-2 py-1.5 text-right">
        <Button variant="ghost" size="icon" aria-label={`Discard ${name}`} onClick={() => onUndo(id)}>
          <Undo2 aria-hidden />
        </Button>
      </td>
    </tr>
  )
}
