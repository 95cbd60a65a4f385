'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { inputSkeleton, takesMessages } from '@/components/runs/start/schema/input-schema'
import { initialOptions, type StartOptions } from '@/components/runs/start/start-options'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { jsonText } from '@/lib/json/value'
import { assistantSchemasQuery, findAssistant, isDefault, pickableAssistants } from '@/lib/queries/assistants'
import { rememberedStrategy } from './multitask-choice'

/** Graphs that people talk to are usually called so. */
const TALKERS = ['agent', 'chat']

/** How often a server that could not be asked is asked again: it may be starting. */
const AWAY_MS = 3_000

/** The assistant to talk to if none is chosen. `isNamed`: its graph is called like one that people talk to. */
export function talkerOf(assistants: readonly Assistant[] | undefined) {
  const named = assistants?.find((one) => isDefault(one) && TALKERS.includes(one.graph_id))
  const assistant = named ?? assistants?.find(isDefault) ?? assistants?.[0]
  return assistant && { assistant, isNamed: named !== undefined }
}

/** The assistant of a conversation, how its runs are started, and what input its graph takes. */
export function useChatOptions(place: DeploymentPlace, given: string | undefined, threadAssistant: string | undefined) {
  const { workspace, deploymentId } = place
  const [options, setOptions] = useState<StartOptions>(() => initialOptions(given ?? '', ''))
  const list = useQuery({
    ...pickableAssistants(workspace, deploymentId),
    refetchInterval: ({ state }) => (state.status === 'error' ? AWAY_MS : false),
  })
  const wanted = options.assistant || threadAssistant || ''
  const chosen = findAssistant(list.data, wanted) ?? (wanted === '' ? talkerOf(list.data)?.assistant : undefined)
  const assistant = chosen?.assistant_id ?? wanted
  const schemas = useQuery({
    ...assistantSchemasQuery(workspace, deploymentId, assistant),
    enabled: assistant !== '',
    retry: false,
  })
  const schema = schemas.data?.input_schema ?? undefined
  // A graph that does not say what it takes gets both.
  const hasMessages = !schema || takesMessages(schema)
  const skeleton = useMemo(() => (schema ? jsonText(inputSkeleton(schema)) : '{}'), [schema])
  const change = (part: Partial<StartOptions>) => setOptions((now) => ({ ...now, ...part }))
  return {
    options,
    change,
    list,
    chosen,
    assistant,
    schema,
    isPending: assistant === '' ? list.isPending : schemas.isPending,
    hasMessages,
    inputKind: hasMessages ? options.inputKind : ('json' as const),
    json: options.json ?? skeleton,
    /** How to send during a run: asked once, then remembered. */
    strategy: () => rememberedStrategy(),
  }
}
