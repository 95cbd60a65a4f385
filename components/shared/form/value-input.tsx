'use client'
import { Eye, EyeOff } from 'lucide-react'
import { type ClipboardEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Textarea } from '@/components/ui/input'
import { cn } from '@/lib/cn'

type ValueInputProps = {
  id: string
  label: string
  value: string
  onChange: (value: string) => void
  disabled?: boolean
  placeholder?: string
}

/**
 * The input for a secret's value, hidden by default and never filled from the server. A text area, because values may have
 * several lines and browsers do not offer to save its text.
 */
export function ValueInput({ id, label, value, onChange, disabled, placeholder }: ValueInputProps) {
  const [isShown, setShown] = useState(false)
  const hasReturns = value.includes('\r')
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <div className="flex items-start gap-1">
        <Textarea
          id={id}
          aria-label={label}
          value={value}
          rows={isShown ? Math.min(8, value.split('\n').length) : 1}
          disabled={disabled}
          placeholder={placeholder}
          autoComplete="off"
          autoCorrect="off"
          autoCapitalize="off"
          spellCheck={false}
          data-1p-ignore
          data-lpignore="true"
          data-bwignore
          data-form-type="other"
          onChange={(event) => onChange(event.target.value)}
          onPaste={(event) => keepReturns(event, onChange)}
          className={cn('resize-none font-mono min-h-8', !isShown && 'overflow-hidden [-webkit-text-security:disc]')}
        />
        <Button
          variant="ghost"
          size="icon"
          className="mt-0.5"
          aria-label={isShown ? 'Hide what you typed' : 'Show what you typed'}
          aria-pressed={isShown}
          disabled={value === ''}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        </Button>
      </div>
      {hasReturns ? (
        <p className="text-ink-3 text-xs">Contains Windows line endings. Editing converts them to LF.</p>
      ) : null}
    </div>
  )
}

/** A text area normalises line endings; pasting a whole value keeps them. */
function keepReturns(event: ClipboardEvent<HTMLTextAreaElement>, onChange: (value: string) => void) {
  const { selectionStart, selectionEnd, value } = event.currentTarget
  const text = event.clipboardData.getData('text/plain')
  if (!text.includes('\r') || selectionStart !== 0 || selectionEnd !== value.length) return
  event.preventDefault()
  onChange(text)
}
