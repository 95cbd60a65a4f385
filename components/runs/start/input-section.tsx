'use client'

import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Textarea } from '@/components/ui/input'
import { IssueList } from './issue-list'
import type { InputIssue } from './schema/input-check'
import { CHOOSE_INPUT, type GraphInput } from './schema/read-input'
import type { StartIssue } from './start-issues'
import type { StartOptions } from './start-options'

type Props = {
  input: Pick<GraphInput, 'status' | 'kind' | 'schema' | 'hasMessages'>
  message: string
  json: string
  /** Why the input is not checked; shown if there is no schema. */
  schemaNote: string | undefined
  /** Issues from the last attempt to start. */
  issues: readonly StartIssue[]
  isForced: boolean
  onChange: (change: Partial<Pick<StartOptions, 'inputKind' | 'message' | 'json'>>) => void
  onForce: (isForced: boolean) => void
}

/** The input: a message for chat graphs or JSON for all, checked while typing. */
export function InputSection({
  input: { status, kind, schema, hasMessages },
  message,
  json,
  schemaNote,
  issues,
  isForced,
  onChange,
  onForce,
}: Props) {
  const live = useInputIssues(kind === 'json' ? json : undefined, schema)
  const section = useRef<HTMLElement>(null)
  // On arrival, unless another field is already in use.
  useEffect(() => {
    const isInUse = section.current?.closest('form')?.contains(document.activeElement)
    if (!isInUse) section.current?.querySelector<HTMLElement>('#start-message')?.focus()
  }, [])
  // Fresh checks replace our older issues; the server's issues stay until the next attempt.
  const shown = kind === 'json' && live.issues.length > 0 ? live.issues : issues
  return (
    <section ref={section} aria-labelledby="start-input-title" className="space-y-2">
      <div className="flex items-center gap-2">
        <h2 id="start-input-title" className="font-medium text-xs">
          Input
        </h2>
        {hasMessages || status === 'failed' ? (
          <fieldset className="ml-auto inline-flex rounded-md border p-0.5">
            <legend className="sr-only">Input type</legend>
            {(['message', 'json'] as const).map((one) => (
              <Button
                key={one}
                size="sm"
                variant="ghost"
                aria-pressed={kind === one}
                className="h-6 aria-pressed:bg-accent-soft aria-pressed:text-ink"
                onClick={() => onChange({ inputKind: one })}
              >
                {one === 'message' ? 'Message' : 'JSON'}
              </Button>
            ))}
          </fieldset>
        ) : null}
      </div>
      {kind !== 'json' ? (
        <div>
          <label htmlFor="start-message" className="sr-only">
            {kind ? 'Message' : 'Input'}
          </label>
          <Textarea
            id="start-message"
            rows={5}
            placeholder={kind ? 'What should the agent do?' : status === 'reading' ? 'Loading…' : ''}
            aria-describedby="start-input-issues"
            aria-invalid={shown.length > 0 || undefined}
            value={message}
            onChange={(event) => onChange({ message: event.target.value })}
          />
        </div>
      ) : (
        <JsonEditor
          label="Input as JSON"
          value={json}
          onChange={(text) => onChange({ json: text })}
          describedBy="start-input-issues"
          isInvalid={shown.length > 0}
          minHeight={200}
        />
      )}
      <IssueList id="start-input-issues" issues={shown} />
      {kind === 'json' && live.isSchema && live.issues.length > 0 ? (
        <Checkbox
          label="Send without matching the schema"
          hint="Some graphs accept more than their schema says."
          checked={isForced}
          onChange={(event) => onForce(event.target.checked)}
        />
      ) : null}
      {status === 'failed' && !kind ? <p className="text-ink-2 text-xs">{CHOOSE_INPUT}</p> : null}
      {kind === 'json' && schemaNote ? <p className="text-ink-3 text-xs">{schemaNote}</p> : null}
    </section>
  )
}

/** Errors of the JSON, checked after a pause in typing. */
function useInputIssues(
  json: string | undefined,
  schema: GraphInput['schema'],
): { issues: InputIssue[]; isSchema: boolean } {
  const [found, setFound] = useState<{ issues: InputIssue[]; isSchema: boolean }>({ issues: [], isSchema: false })
  const text = useDeferredValue(json)
  useEffect(() => {
    let isGone = false
    const timer = setTimeout(async () => {
      const next = await look(text, schema)
      if (!isGone) setFound(next)
    }, 250)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [text, schema])
  return found
}

async function look(
  text: string | undefined,
  schema: GraphInput['schema'],
): Promise<{ issues: InputIssue[]; isSchema: boolean }> {
  if (text === undefined) return { issues: [], isSchema: false }
  // Loaded on demand: only JSON input needs the checkers.
  const { jsonProblemText } = await import('@/components/shared/json/json-problem')
  const problem = jsonProblemText(text)
  if (problem) return { issues: [{ path: '', message: problem }], isSchema: false }
  if (!schema) return { issues: [], isSchema: true }
  const { checkInput } = await import('./schema/input-check')
  return { issues: checkInput(schema, JSON.parse(text)) ?? [], isSchema: true }
}
