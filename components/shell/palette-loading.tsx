'use client'
import { useEffect, useRef, useState } from 'react'

let typed = ''
/** What was typed before the palette was there. */
export const typedBefore = (): string => typed
export function forgetTyped(): void {
  typed = ''
}

/** Stands in for the palette while it loads, so that no key gets lost or opens another page. */
export function PaletteLoading({ onClose }: { onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const before = useRef<Element | null>(null)
  useEffect(() => {
    forgetTyped()
    before.current = document.activeElement
    field.current?.focus()
  }, [])
  return (
    <div className="fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-lg border bg-panel shadow-pop">
      <input
        ref={field}
        aria-label="Go to"
        value={text}
        onChange={({ target }) => {
          typed = target.value
          setText(target.value)
        }}
        onKeyDown={({ key }) => {
          if (key !== 'Escape') return
          onClose()
          if (before.current instanceof HTMLElement) before.current.focus()
        }}
        className="h-11 w-full bg-transparent px-4 text-base outline-none"
      />
    </div>
  )
}
