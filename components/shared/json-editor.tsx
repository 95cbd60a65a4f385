'use client'

import { type ComponentType, useEffect, useState } from 'react'
import type { JsonEditorViewProps } from './json-editor-view'

/**
 * An editor for JSON text. A plain text field stands in until the real one has loaded (or for good, if it cannot), so
 * that nobody waits to type and nothing typed is lost.
 */
export function JsonEditor(props: JsonEditorViewProps) {
  const [View, setView] = useState<ComponentType<JsonEditorViewProps>>()
  useEffect(() => {
    let isGone = false
    import('./json-editor-view').then(
      ({ JsonEditorView }) => !isGone && setView(() => JsonEditorView),
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [])
  const { value, onChange, label, minHeight = 160, describedBy, isInvalid } = props
  if (View) return <View {...props} />
  return (
    <textarea
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
