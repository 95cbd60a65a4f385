'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readForMessage, readInput } from '@/components/runs/start/schema/read-input'
import type { JsonSchema } from '@/components/runs/start/schema/takes-messages'
import { initialOptions, type StartOptions } from '@/components/runs/start/start-options'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { isRecord } from '@/lib/json/guards'
import { assistantSchemasQuery, findAssistant, isDefault, pickableAssistants } from '@/lib/queries/assistants'
import { untilBack } from '@/lib/queries/query-client'
import { rememberedStrategy } from './composer/multitask'

/** Graphs that people talk to are usually called so. */
const TALKERS = ['agent', 'chat']

type Schemas = { context_schema?: JsonSchema | null; config_schema?: JsonSchema | null }

/** The schema of a graph's context. `isConfigured`: an older graph, which reads it from `config.configurable`. */
export function contextOf(schemas: Schemas | undefined): { contextSchema?: JsonSchema; isConfigured: boolean } {
  if (schemas?.context_schema) return { contextSchema: schemas.context_schema, isConfigured: false }
  const properties = schemas?.config_schema?.properties
  const isConfigured = isRecord(properties) && Object.keys(properties).length > 0
  return { contextSchema: isConfigured ? (schemas?.config_schema ?? undefined) : undefined, isConfigured }
}

/** Whether messages may hold files. They may until the schema has been looked at. */
function useTakesFiles(schema: JsonSchema | undefined, hasMessages: boolean): boolean {
  const [refusing, setRefusing] = useState<JsonSchema>()
  useEffect(() => {
    if (!schema || !hasMessages) return
    let isGone = false
    void import('./composer/attachments').then(({ takesFiles }) => {
      if (!isGone && !takesFiles(schema)) setRefusing(schema)
    })
    return () => {
      isGone = true
    }
  }, [schema, hasMessages])
  return refusing === undefined || refusing !== schema
}

/** The assistant to talk to if none is chosen. `isNamed`: its graph is called like one that people talk to. */
export function talkerOf(assistants: readonly Assistant[] | undefined) {
  const named = assistants?.find((one) => isDefault(one) && TALKERS.includes(one.graph_id))
  const assistant = named ?? assistants?.find(isDefault) ?? assistants?.[0]
  return assistant && { assistant, isNamed: named !== undefined }
}

/**
 * The assistant of a conversation, how its runs are started, and what input its graph takes. `threadAssistant`: null until it
 * is known who ran on the thread.
 */
export function useChatOptions(
  place: DeploymentPlace,
  given: string | undefined,
  threadAssistant: string | null | undefined,
) {
  const { workspace, deploymentId } = place
  const [options, setOptions] = useState<StartOptions>(() => initialOptions(given ?? '', ''))
  const list = useQuery({
    ...pickableAssistants(workspace, deploymentId),
    ...untilBack,
  })
  const wanted = options.assistant || threadAssistant || ''
  const isUnread = wanted === '' && threadAssistant === null
  const chosen =
    findAssistant(list.data, wanted) ?? (wanted === '' && !isUnread ? talkerOf(list.data)?.assistant : undefined)
  const assistant = chosen?.assistant_id ?? wanted
  const client = useQueryClient()
  const query = { ...assistantSchemasQuery(workspace, deploymentId, assistant), retry: false }
  const schemas = useQuery({
    ...query,
    enabled: assistant !== '',
    ...untilBack,
  })
  const [chosenFor, setChosenFor] = useState<string>()
  const input = readInput(schemas, options.inputKind, chosenFor === assistant)
  const { schema, hasMessages } = input
  const change = (part: Partial<StartOptions>) => {
    if (part.inputKind) setChosenFor(assistant)
    setOptions((now) => ({ ...now, ...part }))
  }
  return {
    options,
    change,
    list,
    chosen,
    assistant,
    schema,
    /** Whether it is still being read what the graph takes. */
    isPending: assistant === '' ? list.isPending || isUnread : input.status === 'reading',
    input,
    readAgain: () => void schemas.refetch(),
    /** The same, once it has been read. */
    read: () => readForMessage(client.ensureQueryData(query)),
    hasMessages,
    ...contextOf(schemas.data),
    takesFiles: useTakesFiles(schema, hasMessages),
    /** Undefined until it is known or chosen. */
    inputKind: input.kind,
    /** Undefined until it has been changed; the field then shows the schema's skeleton. */
    json: options.json,
    /** How to send during a run: asked once, then remembered. */
    strategy: () => rememberedStrategy(),
  }
}
