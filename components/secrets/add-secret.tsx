'use client'
import { Plus } from 'lucide-react'
import { type ClipboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { ValueInput } from '@/components/shared/form/value-input'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { reportTyped } from '@/components/ui/report-typed'
import { type EnvEntry, looksLikeEnv, parseEnv } from '@/lib/format/dotenv'

export type Paste = { count: number; problems: { line: number; message: string }[]; comments: number }
type AddSecretProps = {
  reason: string | undefined
  onAdd: (entries: Omit<EnvEntry, 'line'>[]) => void
  onPaste: (entries: EnvEntry[], paste: Paste) => void
}

/** Adds one secret, or a whole `.env` file that is pasted into the name field. */
export function AddSecret({ reason, onAdd, onPaste }: AddSecretProps) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const nameRef = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => reportTyped(nameRef.current), [])
  const add = () => {
    if (name.trim() === '') return nameRef.current?.focus()
    onAdd([{ name: name.trim(), value }])
    setName('')
    setValue('')
    nameRef.current?.focus()
  }
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text/plain')
    if (!looksLikeEnv(text)) return
    event.preventDefault()
    const { entries, problems, comments } = parseEnv(text)
    onPaste(entries, { count: entries.length, problems, comments })
  }
  return (
    <form
      className="flex flex-wrap items-start gap-2 rounded-lg border bg-panel p-3"
      aria-label="Add secret"
      onSubmit={(event) => {
        event.preventDefault()
        if (!reason) add()
      }}
    >
      <div className="flex min-w-0 basis-full flex-col gap-1 sm:basis-72">
        <Input
          ref={nameRef}
          aria-label="Name of the new secret"
          placeholder="NAME, or paste a .env file"
          className="font-mono"
          value={name}
          disabled={reason !== undefined}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-1p-ignore
          data-lpignore="true"
          onChange={(event) => setName(event.target.value)}
          onPaste={paste}
        />
      </div>
      <ValueInput
        id="new-secret-value"
        label="Value of the new secret"
        placeholder="Value"
        value={value}
        onChange={setValue}
        disabled={reason !== undefined}
      />
      <Button type="submit" reason={reason}>
        <Plus aria-hidden />
        Add
      </Button>
    </form>
  )
}
