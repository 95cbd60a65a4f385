'use client'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { cn } from '@/lib/cn'
import { Button } from './button'

type Value = string | (() => string | Promise<string>)

/** Copies a value, calling it first if it is a function, and says for a moment how that went. */
function useCopy(value: Value) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  async function copy() {
    const isCopied = await Promise.resolve(typeof value === 'function' ? value() : value)
      .then((text) => navigator.clipboard.writeText(text))
      .then(
        () => true,
        () => false,
      )
    setState(isCopied ? 'copied' : 'refused')
    setTimeout(setState, 1500, 'idle')
  }
  return { state, copy }
}

/** Like `CopyButton`, with its label visible. */
export function CopyTextButton({ value, children }: { value: Value; children: string }) {
  const { state, copy } = useCopy(value)
  return (
    <Button size="sm" onClick={() => void copy()}>
      {state === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
      {{ idle: children, copied: 'Copied', refused: 'Copy failed' }[state]}
    </Button>
  )
}

type CopyButtonProps = { value: Value; what: string; className?: string; autoFocus?: boolean | undefined }

/**
 * Copies `value`, calling it first if it is a function, and confirms briefly. `what` names it to screen readers: "Copy
 * thread id".
 */
export function CopyButton({ value, what, className, autoFocus }: CopyButtonProps) {
  const { state, copy } = useCopy(value)
  const said = { idle: `Copy ${what}`, copied: 'Copied', refused: 'Copy failed' }[state]
  return (
    <button
      type="button"
      // biome-ignore lint/a11y/noAutofocus: only where a dialog asks for it
      autoFocus={autoFocus}
      aria-label={said}
      title={said}
      onClick={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void copy()
      }}
      className={cn(
        'inline-flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink',
        className,
      )}
    >
      {state === 'copied' ? <Check aria-hidden className="size-3 text-ok" /> : <Copy aria-hidden className="size-3" />}
    </button>
  )
}
