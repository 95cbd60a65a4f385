'use client'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Textarea } from '@/components/ui/input'
import { type EnvEntry, parseEnv, printEnv } from '@/lib/format/dotenv'

type TextModeProps = {
  entries: { name: string; value: string }[]
  onApply: (entries: EnvEntry[]) => void
  onClose: () => void
}

/** The draft's values as text. Stored secrets are not in it, so deleting a line removes nothing from the server. */
export function TextMode({ entries, onApply, onClose }: TextModeProps) {
  const [text, setText] = useState(() => printEnv(entries))
  const { entries: read, problems, comments } = parseEnv(text)
  return (
    <section aria-label="Draft as text" className="flex flex-col gap-2 rounded-lg border bg-panel p-3">
      <p className="text-ink-2 text-sm">
        One <code className="font-mono">NAME=value</code> per line. Only secrets that you add or replace. Stored secrets
        without a line are not changed.
      </p>
      <Textarea
        aria-label="Draft as NAME=value lines"
        className="min-h-48 font-mono"
        value={text}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-1p-ignore
        data-lpignore="true"
        data-form-type="other"
        onChange={(event) => setText(event.target.value)}
      />
      {problems.length > 0 ? (
        <ul role="alert" className="text-error text-xs">
          {problems.map(({ line, message }) => (
            <li key={line}>
              Line {line}: {message}
            </li>
          ))}
        </ul>
      ) : null}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span className="mr-auto text-ink-3 text-xs">
          {read.length} {read.length === 1 ? 'value' : 'values'}
          {comments > 0 ? `, ${comments} comments skipped` : ''}
        </span>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="primary"
          disabled={problems.length > 0}
          onClick={() => {
            onApply(read)
            onClose()
          }}
        >
          Apply to draft
        </Button>
      </div>
    </section>
  )
}
