'use client'

import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { reportTyped } from '@/components/ui/report-typed'
import type { Caret, JsonEditorViewProps } from './json-editor-view'

/**
 * An editor for JSON text. A plain text field takes its place until it has loaded, or for good if loading fails, so that
 * the user can type at once and loses nothing.
 */
export function JsonEditor(props: JsonEditorViewProps) {
  const [loaded, setLoaded] = useState<{ View: ComponentType<JsonEditorViewProps>; caret?: Caret }>()
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => reportTyped(field.current), [])
  useEffect(() => {
    let isGone = false
    import('./json-editor-view').then(
      ({ JsonEditorView: View }) => {
        if (isGone) return
        const { selectionStart, selectionEnd } = field.current ?? { selectionStart: 0, selectionEnd: 0 }
        const isTyping = field.current !== null && field.current === document.activeElement
        // Synchronously, so that no key press is lost between the two fields.
        flushSync(() => setLoaded({ View, caret: isTyping ? [selectionStart, selectionEnd] : undefined }))
      },
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [])
  const { value, onChange, label, minHeight = 160, describedBy, isInvalid } = props
  if (loaded) return <loaded.View {...props} caret={loaded.caret} />
  return (
    <textarea
      ref={field}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      spellCheck={false}
      className="block w-full resize-y rounded-md border border-line bg-panel px-3 py-1 font-mono text-[13px] leading-[1.4]"
      style={{ minHeight: minHeight + 2 }}
    />
  )
}
