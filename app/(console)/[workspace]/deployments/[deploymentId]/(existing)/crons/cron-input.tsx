'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useImperativeHandle, useRef, useState } from 'react'
import type { CronInputProps } from '@/components/crons/input-view'
import { InputSection } from '@/components/runs/start/input-section'
import { singleMessage } from '@/components/runs/start/prefill'
import { inputSkeleton } from '@/components/runs/start/schema/input-schema'
import { CHOOSE_INPUT, readInput } from '@/components/runs/start/schema/read-input'
import type { StartIssue } from '@/components/runs/start/start-issues'
import { parseJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'
import { assistantSchemasQuery } from '@/lib/queries/assistants'
import { untilBack } from '@/lib/queries/query-client'

const EMPTY = '{}'

/** The input of a cron, written as that of a run. Features cannot import each other, so they are joined here. */
export function CronInput({ place, assistant, value, onChange, saved, error, check }: CronInputProps) {
  const { workspace, deploymentId } = place
  const schemas = useQuery({
    ...assistantSchemasQuery(workspace, deploymentId, assistant),
    enabled: assistant !== '',
    retry: false,
    ...untilBack,
  })
  const message = messageOf(value)
  const [chosen, choose] = useState<'message' | 'json'>()
  const wanted = chosen ?? (message === undefined && value !== EMPTY ? 'json' : 'message')
  const input = readInput(schemas, wanted, chosen !== undefined || saved !== undefined)
  const { kind, schema, hasMessages } = input
  const [issues, setIssues] = useState<StartIssue[]>([])
  const [isForced, setForced] = useState(false)
  const change = (json: string) => {
    setIssues([])
    onChange(json)
  }

  // An untouched input follows the schema of the chosen assistant.
  const offered = useRef(EMPTY)
  const skeleton = schema && !hasMessages ? jsonText(inputSkeleton(schema)) : EMPTY
  useEffect(() => {
    if (saved !== undefined || input.status !== 'known' || (value !== EMPTY && value !== offered.current)) return
    offered.current = skeleton
    if (value !== skeleton) onChange(skeleton)
  }, [saved, input.status, skeleton, value, onChange])

  useImperativeHandle(check, () => async () => {
    const found = await problemsOf()
    setIssues(found.map((one) => ({ ...one, field: 'input', isOurs: true })))
    return found.length === 0
  })
  async function problemsOf(): Promise<{ path: string; message: string }[]> {
    if (value === saved) return []
    if (schemas.isLoading)
      return [{ path: '', message: 'What the graph takes is still being read. Try again in a moment.' }]
    if (!kind) return [{ path: '', message: CHOOSE_INPUT }]
    if (kind === 'message') return message?.trim() ? [] : [{ path: '', message: 'Enter a message.' }]
    const { jsonProblemText } = await import('@/components/shared/json/json-problem')
    const problem = jsonProblemText(value)
    if (problem) return [{ path: '', message: problem }]
    if (!schema || isForced) return []
    const { checkInput } = await import('@/components/runs/start/schema/input-check')
    return checkInput(schema, JSON.parse(value)) ?? []
  }

  const theirs: StartIssue[] = error === undefined ? [] : [{ field: 'input', path: '', message: error }]
  return (
    <InputSection
      input={input}
      message={message ?? ''}
      json={value}
      schemaNote={
        input.status !== 'known' || schema ? undefined : 'This graph has no input schema, so the input is not checked.'
      }
      issues={issues.length > 0 ? issues : theirs}
      isForced={isForced}
      onChange={(part) => {
        if (part.inputKind) choose(part.inputKind)
        if (part.message !== undefined)
          change(part.message === '' ? EMPTY : jsonText({ messages: [{ role: 'user', content: part.message }] }))
        if (part.json !== undefined) change(part.json)
      }}
      onForce={(forced) => {
        setForced(forced)
        setIssues([])
      }}
    />
  )
}

function messageOf(json: string): string | undefined {
  try {
    return singleMessage(parseJson(json))
  } catch {
    return undefined
  }
}
