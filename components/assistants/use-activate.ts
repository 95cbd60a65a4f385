'use client'
import { useQueryClient } from '@tanstack/react-query'
import { activateVersion } from '@/lib/actions/assistants'
import { agentServer } from '@/lib/contracts/agent-server'
import type { AssistantOutcome } from '@/lib/contracts/agents/assistant-edit'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import type { Result } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { invalidate } from '@/lib/queries/api-query'

/** `activate` makes a version active if `expectedVersion` still is, and refetches in any case. */
export function useActivate(place: AssistantPlace) {
  const client = useQueryClient()
  const { getAssistant, searchAssistants, getAssistantSchemas, listAssistantVersions } = agentServer
  const refresh = () => {
    for (const op of [getAssistant, searchAssistants, getAssistantSchemas, listAssistantVersions])
      void invalidate(client, op, place.workspace)
  }
  const activate = async (
    version: number,
    expectedVersion: number,
    key = newRequestKey(),
  ): Promise<Result<AssistantOutcome>> => {
    try {
      return await activateVersion({ place, version, expectedVersion, key })
    } finally {
      refresh()
    }
  }
  return { activate, refresh }
}
