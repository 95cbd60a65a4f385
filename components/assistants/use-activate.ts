'use client'
import { useQueryClient } from '@tanstack/react-query'
import { activateVersion } from '@/lib/actions/assistants'
import { agentServer } from '@/lib/contracts/agent-server'
import type { AssistantOutcome } from '@/lib/contracts/agents/assistant-edit'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import type { Result } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/request-key'
import { invalidate } from '@/lib/queries/api-query'

/** Activates a version if `seen` is still the active one. Refetches in any case. */
export function useActivate(place: AssistantPlace) {
  const client = useQueryClient()
  return async (version: number, seen: number, key = newRequestKey()): Promise<Result<AssistantOutcome>> => {
    try {
      return await activateVersion({ place, version, seen, key })
    } finally {
      for (const op of [agentServer.getAssistant, agentServer.searchAssistants, agentServer.getAssistantSchemas])
        void invalidate(client, op, place.workspace)
    }
  }
}
