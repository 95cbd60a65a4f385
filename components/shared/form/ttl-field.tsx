import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'

/** The typed minutes to live, or what is wrong with them. Empty text is no limit. */
export function readTtl(text: string): { ttl?: number; problem?: string } {
  if (text.trim() === '') return {}
  const ttl = Number(text)
  return ttl > 0 ? { ttl } : { problem: 'Enter a number above zero.' }
}

type Props = { id: string; hint: string; value: string; onChange: (text: string) => void }

/** A field for minutes to live, read with `readTtl`. */
export function TtlField({ id, hint, value, onChange }: Props) {
  const { problem } = readTtl(value)
  return (
    <Field id={id} label="Minutes to live" hint={hint} error={problem}>
      <Input
        id={id}
        inputMode="numeric"
        autoComplete="off"
        className="w-32"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        {...describedBy(id, problem)}
      />
    </Field>
  )
}
