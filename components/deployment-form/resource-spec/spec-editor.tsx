'use client'
import dynamic from 'next/dynamic'
import { useMemo, useState } from 'react'
import { Skeleton } from '@/components/ui/loading'
import { Tabs } from '@/components/ui/tabs'
import { pathText } from '@/lib/json/value'
import type { Problem } from './check'
import { Problems } from './problems'
import { SpecForm } from './spec-form'
import type { Format, TextProblem } from './spec-text'
import { type Spec, unfinishedIn } from './spec-value'

const Loading = () => <Skeleton className="h-80" />
const TextView = dynamic(() => import('./text-view').then((module) => module.TextView), {
  ssr: false,
  loading: Loading,
})

type Mode = 'form' | Format
const TABS: { value: Mode; label: string }[] = [
  { value: 'form', label: 'Form' },
  { value: 'yaml', label: 'YAML' },
  { value: 'json', label: 'JSON' },
]

type SpecEditorProps = {
  draft: Spec
  problems: readonly Problem[]
  /** The error of invalid text; the draft is the last valid spec then. */
  textProblem: TextProblem | undefined
  isReadOnly: boolean
  /** Counts replacements of the draft from outside, which reset what was typed. */
  version?: number
  onChange: (draft: Spec) => void
  onTextProblem: (problem: TextProblem | undefined) => void
}

/** One draft of a resource spec as a form, as YAML or as JSON, and its errors. */
export function SpecEditor({
  draft,
  problems,
  textProblem,
  isReadOnly,
  version = 0,
  onChange,
  onTextProblem,
}: SpecEditorProps) {
  const [mode, setMode] = useState<Mode>('form')
  const [blockedIn, setBlockedIn] = useState<number>()
  const unfinished = useMemo(() => unfinishedIn(draft), [draft])
  const obstacle = textProblem
    ? `The text is not valid: line ${textProblem.line}, column ${textProblem.column}. Fix it first.`
    : unfinished && `Fix or remove ${pathText(unfinished.path)} first: ${unfinished.message}.`

  function show(next: Mode) {
    if (next === mode) return
    setBlockedIn(obstacle ? version : undefined)
    if (!obstacle) setMode(next)
  }
  function change(next: Spec) {
    setBlockedIn(undefined)
    onChange(next)
  }
  return (
    <Problems value={problems}>
      <Tabs label="Draft view" value={mode} onValueChange={(next) => show(next as Mode)} tabs={TABS}>
        {obstacle && blockedIn === version ? (
          <p role="alert" className="mb-3 text-error text-sm">
            {obstacle}
          </p>
        ) : null}
        {mode === 'form' ? (
          <fieldset key={version} disabled={isReadOnly} className="min-w-0">
            <SpecForm spec={draft} onChange={change} />
          </fieldset>
        ) : (
          <TextView
            key={`${mode} ${version}`}
            spec={draft}
            format={mode}
            isReadOnly={isReadOnly}
            onChange={change}
            onProblem={onTextProblem}
          />
        )}
      </Tabs>
      {problems.length > 0 ? (
        <section aria-label="Errors" className="rounded-md border border-error/30 bg-error-soft px-3 py-2 text-sm">
          <h3 className="font-medium">
            {problems.length} {problems.length === 1 ? 'field has an error' : 'fields have errors'}
          </h3>
          <ul className="mt-1 text-ink-2 text-xs">
            {problems.map(({ path, message }) => (
              <li key={`${pathText(path)} ${message}`} className="break-words">
                <code className="font-mono">{pathText(path)}</code> {message}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </Problems>
  )
}
