'use client'
import { useEffect, useRef, useState } from 'react'

let typed = ''
/** What was typed before the palette was there. */
export const typedBefore = (): string => typed
export function forgetTyped(): void {
  typed = ''
}

/** Stands in for the palette while it loads, so that no key gets lost or opens another page. */
export function PaletteLoading() {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  useEffect(() => {
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
        className="h-11 w-full bg-transparent px-4 text-base outline-none"
      />
    </div>
  )
}
