'use client'
import { ArrowUp, Plus, X } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Textarea } from '@/components/ui/input'
import { fieldId } from './problems'
import { moved, type Path } from './spec-value'

type TextListProps = {
  path: Path
  label: string
  noun: string
  value: readonly string[]
  onChange: (value: unknown) => void
}

/** An ordered list of texts. Each may have several lines, because an argument can be a whole script. */
export function TextList({ path, label, noun, value, onChange }: TextListProps) {
  const put = (next: readonly string[]) => onChange(next.length === 0 ? undefined : next)
  return (
    <fieldset id={fieldId(path)} aria-label={label} className="min-w-0 flex flex-col gap-1.5">
      {value.map((text, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: texts are identified only by position
        <div key={at} className="flex items-start gap-1.5">
          <Textarea
            aria-label={`${label}, ${noun} ${at + 1}`}
            rows={Math.min(8, text.split('\n').length)}
            spellCheck={false}
            className="min-h-8 min-w-0 flex-1 resize-y font-mono text-xs"
            value={text}
            onChange={(event) => put(value.map((one, place) => (place === at ? event.target.value : one)))}
          />
          <Button
            variant="ghost"
            size="icon"
            disabled={at === 0}
            aria-label={`Move ${noun} ${at + 1} up`}
            onClick={() => put(moved(value, at, at - 1))}
          >
            <ArrowUp aria-hidden />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${noun} ${at + 1}`}
            onClick={() => put(value.filter((_, place) => place !== at))}
          >
            <X aria-hidden />
          </Button>
        </div>
      ))}
      <Button size="sm" className="self-start" onClick={() => put([...value, ''])}>
        <Plus aria-hidden />
        Add {noun}
      </Button>
    </fieldset>
  )
}
