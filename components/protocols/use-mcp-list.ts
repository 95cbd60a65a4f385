'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { MCP_LISTS, type McpList, mcpServer } from '@/lib/contracts/agents/mcp'
import { exchangesOf, responsesTo } from '@/lib/contracts/wire/exchange'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { mcpListQuery } from '@/lib/queries/protocols'

/** Reads an MCP list: its result pages, the server's own description, and any error. */
export function useMcpList(place: DeploymentPlace, ask: McpList, { enabled = true } = {}) {
  const query = mcpListQuery(place, ask)
  const { data } = useQuery({ ...query, enabled })
  const client = useQueryClient()
  const read = useMemo(() => {
    const { exchanges, error } = exchangesOf(data ?? [])
    const responses = responsesTo(exchanges, MCP_LISTS[ask])
    const [greeting] = responsesTo(exchanges, 'initialize')
    const refused = responses.find((response) => 'error' in response)
    return {
      exchanges,
      error,
      refusal: refused && 'error' in refused ? refused.error : undefined,
      results: responses.flatMap((response) => ('result' in response ? [response.result] : [])),
      server: mcpServer(greeting && 'result' in greeting ? greeting.result : undefined),
    }
  }, [data, ask])
  return { ...read, isRead: data !== undefined, retry: () => void client.resetQueries({ queryKey: query.queryKey }) }
}
