'use client'
import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import { linter } from '@codemirror/lint'
import CodeMirror, { EditorView } from '@uiw/react-codemirror'
import { getNonce } from 'get-nonce'
import { useMemo, useState } from 'react'
import { editorColors, editorTheme } from '@/components/shared/json/json-editor-view'
import { type Format, parseSpec, printSpec, type TextProblem } from './spec-text'
import type { Spec } from './spec-value'

type TextViewProps = {
  spec: Spec
  format: Format
  isReadOnly: boolean
  onChange: (spec: Spec) => void
  /** Called with the error of invalid text; the draft keeps the last valid spec. */
  onProblem: (problem: TextProblem | undefined) => void
}

/** The draft as text, kept as typed even while invalid. Loaded separately, because the editor and YAML are large. */
export function TextView({ spec, format, isReadOnly, onChange, onProblem }: TextViewProps) {
  const [first] = useState(() => printSpec(spec, format))
  const [problem, setProblem] = useState<TextProblem>()
  const extensions = useMemo(
    () => [
      format === 'yaml' ? yaml() : json(),
      editorColors,
      linter(
        ({ state }) => {
          const read = parseSpec(state.doc.toString(), format)
          if ('spec' in read) return []
          const line = state.doc.line(Math.min(read.problem.line, state.doc.lines))
          const from = Math.min(line.from + read.problem.column - 1, line.to)
          return [
            {
              from,
              to: Math.min(from + 1, state.doc.length),
              severity: 'error' as const,
              message: read.problem.message,
            },
          ]
        },
        { delay: 300 },
      ),
      EditorView.lineWrapping,
      EditorView.cspNonce.of(getNonce() ?? ''),
      EditorView.contentAttributes.of({ 'aria-label': `Resource spec as ${format.toUpperCase()}` }),
    ],
    [format],
  )
  return (
    <div className="flex flex-col gap-1.5">
      <CodeMirror
        value={first}
        editable={!isReadOnly}
        readOnly={isReadOnly}
        onChange={(text) => {
          const read = parseSpec(text, format)
          const wrong = 'problem' in read ? read.problem : undefined
          setProblem(wrong)
          onProblem(wrong)
          if ('spec' in read) onChange(read.spec)
        }}
        theme={editorTheme}
        extensions={extensions}
        minHeight="320px"
        maxHeight="70vh"
        // Tab moves to the next field, as in other fields.
        indentWithTab={false}
        basicSetup={{ foldGutter: true, autocompletion: false, highlightSelectionMatches: false }}
        className="overflow-hidden rounded-md border border-line"
      />
      {problem ? (
        <p role="alert" className="text-error text-sm">
          Line {problem.line}, column {problem.column}: {problem.message}
        </p>
      ) : null}
      {format === 'yaml' ? <p className="text-ink-3 text-xs">Comments are not saved.</p> : null}
    </div>
  )
}
