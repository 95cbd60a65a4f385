'use client'
import { Plus, X } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '@/components/ui/button'
import { Input, Select } from '@/components/ui/input'
import { type Check, MAX_CHECKS } from '@/lib/stream/experiments'
import type { CheckDraft } from './draft'

const KINDS: { value: Check['kind']; label: string; hint: string }[] = [
  { value: 'contains', label: 'Output contains', hint: 'Text, in any case' },
  { value: 'equals', label: 'State equals', hint: 'JSON, such as "yes" or 3' },
  { value: 'regex', label: 'Output matches', hint: 'Regex, such as ^\\d+$' },
  { value: 'latency', label: 'Takes at most', hint: 'Seconds' },
]

type Props = { value: readonly CheckDraft[]; onChange: (value: CheckDraft[]) => void; problems: readonly string[] }

export function CheckFields({ value, onChange, problems }: Props) {
  const more = useRef<HTMLButtonElement>(null)
  const set = (key: string, change: Partial<CheckDraft>) =>
    onChange(value.map((one) => (one.key === key ? { ...one, ...change } : one)))
  const add = () => onChange([...value, { key: crypto.getRandomValues(new Uint32Array(2)).join(), ...EMPTY }])
  return (
    <>
      <ul className="space-y-2">
        {value.map(({ key, kind, text, path }, index) => (
          <li key={key} className="flex flex-wrap items-center gap-2">
            <Select
              aria-label={`Check ${index + 1}`}
              className="w-44"
              value={kind}
              onChange={({ target }) => set(key, { kind: target.value as Check['kind'] /* an option below */ })}
            >
              {KINDS.map((one) => (
                <option key={one.value} value={one.value}>
                  {one.label}
                </option>
              ))}
            </Select>
            {kind === 'equals' ? (
              <Input
                aria-label={`Path of check ${index + 1}`}
                placeholder="messages[-1].content"
                className="font-mono sm:w-56"
                value={path}
                onChange={({ target }) => set(key, { path: target.value })}
              />
            ) : null}
            <Input
              aria-label={`Value of check ${index + 1}`}
              placeholder={KINDS.find((one) => one.value === kind)?.hint}
              className="sm:w-64"
              value={text}
              aria-invalid={problems[index] ? true : undefined}
              onChange={({ target }) => set(key, { text: target.value })}
            />
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Remove check ${index + 1}`}
              onClick={() => {
                onChange(value.filter((one) => one.key !== key))
                setTimeout(() => more.current?.focus()) // the button that was pressed goes
              }}
            >
              <X aria-hidden />
            </Button>
            {problems[index] ? (
              <p role="alert" className="w-full text-error text-xs">
                {problems[index]}
              </p>
            ) : null}
          </li>
        ))}
      </ul>
      <Button ref={more} size="sm" className="mt-2" disabled={value.length >= MAX_CHECKS} onClick={add}>
        <Plus aria-hidden />
        Add check
      </Button>
    </>
  )
}

const EMPTY = { kind: 'contains', text: '', path: '' } as const
