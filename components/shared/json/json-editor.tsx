'use client'

import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { reportTyped } from '@/components/ui/report-typed'
import type { JsonEditorViewProps } from './json-editor-view'

/** How long after the field was left: a click that leaves it must not miss what the editor moves. */
const LEFT_MS = 300

/**
 * An editor for JSON text. A plain text field takes its place until it has loaded, or for good if loading fails, so that
 * the user can type at once. A field that is in use is replaced when it is left: the editor would take its selection, its
 * undo history and what is being composed.
 */
export function JsonEditor(props: JsonEditorViewProps) {
  const [loaded, setLoaded] = useState<{ View: ComponentType<JsonEditorViewProps>; caret?: number }>()
  const field = useRef<HTMLTextAreaElement>(null)
  const isUsed = useRef(false)
  const replace = useRef(() => {})
  useLayoutEffect(() => reportTyped(field.current), [])
  useEffect(() => {
    import('./json-editor-view').then(
      ({ JsonEditorView: View }) => {
        replace.current = () => {
          if (!field.current) return
          const { selectionStart: start, selectionEnd: end } = field.current
          const hasFocus = field.current === document.activeElement
          if (hasFocus && (isUsed.current || start !== end)) return
          // Synchronously, so that no key press is lost between the two fields.
          flushSync(() => setLoaded({ View, caret: hasFocus ? end : undefined }))
        }
        replace.current()
      },
      () => {},
    )
  }, [])
  const use = () => {
    isUsed.current = true
  }
  const leave = () => {
    isUsed.current = false
    setTimeout(() => replace.current(), LEFT_MS)
  }
  const { value, onChange, label, minHeight = 160, describedBy, isInvalid } = props
  if (loaded) return <loaded.View {...props} caret={loaded.caret} />
  return (
    <textarea
      ref={field}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={use}
      onPointerDown={use}
      onBlur={leave}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      spellCheck={false}
      className="block w-full resize-y rounded-md border border-line bg-panel px-3 py-1 font-mono text-[13px] leading-[1.4]"
      style={{ minHeight: minHeight + 2 }}
    />
  )
}
