'use client'

import { json } from '@codemirror/lang-json'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { tags } from '@lezer/highlight'
import CodeMirror, { EditorView } from '@uiw/react-codemirror'
import { getNonce } from 'get-nonce'
import { useMemo } from 'react'
import { findJsonProblem, isPlainText } from './json-problem'

export type JsonEditorViewProps = {
  value: string
  onChange: (text: string) => void
  label: string
  minHeight?: number
  maxHeight?: number
  /** Id of the element that describes the error. */
  describedBy?: string
  isInvalid?: boolean
  /** Plain words are fine too. */
  takesText?: boolean
  /** Where the caret is put on mount, with focus. Set if the field that this replaces had it. */
  caret?: number
}

/** Colours come from the page's variables, so one theme serves light and dark. */
export const editorTheme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '13px', borderRadius: '6px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--font-geist-mono, ui-monospace, monospace)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', borderColor: 'var(--line)', color: 'var(--ink)' },
})
export const editorColors = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.propertyName, color: 'var(--accent)' },
    { tag: tags.string, color: 'var(--ok)' },
    { tag: tags.number, color: 'var(--progress)' },
    { tag: [tags.bool, tags.null], color: 'var(--warn)' },
  ]),
)

const markProblem = (takesText: boolean) =>
  linter(
    ({ state }): Diagnostic[] => {
      const text = state.doc.toString()
      if (text.trim() === '' || (takesText && isPlainText(text))) return []
      const problem = findJsonProblem(text)
      if (!problem) return []
      const line = state.doc.line(Math.min(problem.line, state.doc.lines))
      const from = Math.min(line.from + problem.column - 1, line.to)
      return [{ from, to: Math.min(from + 1, state.doc.length), severity: 'error', message: problem.message }]
    },
    { delay: 300 },
  )

/** The editor itself, loaded on demand because it is large. */
export function JsonEditorView({
  value,
  onChange,
  label,
  minHeight = 160,
  maxHeight = 420,
  describedBy,
  isInvalid,
  takesText = false,
  caret,
}: JsonEditorViewProps) {
  const extensions = useMemo(
    () => [
      json(),
      editorColors,
      markProblem(takesText),
      EditorView.lineWrapping,
      EditorView.cspNonce.of(getNonce() ?? ''),
      EditorView.contentAttributes.of({
        'aria-label': label,
        ...(describedBy && { 'aria-describedby': describedBy }),
        ...(isInvalid && { 'aria-invalid': 'true' }),
      }),
    ],
    [label, describedBy, isInvalid, takesText],
  )
  return (
    <CodeMirror
      value={value}
      onChange={onChange}
      theme={editorTheme}
      extensions={extensions}
      minHeight={`${minHeight}px`}
      maxHeight={`${maxHeight}px`}
      onCreateEditor={(view) => {
        if (caret === undefined) return
        view.dispatch({ selection: { anchor: caret } })
        view.focus()
      }}
      // Tab moves to the next field, as everywhere; the editor's own shortcut indents.
      indentWithTab={false}
      basicSetup={{ foldGutter: false, autocompletion: false, highlightSelectionMatches: false, searchKeymap: false }}
      className="overflow-hidden rounded-md border border-line"
    />
  )
}
