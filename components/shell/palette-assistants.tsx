import { useQueries, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Bot, Play } from 'lucide-react'
import type { Route } from 'next'
import { useParams } from 'next/navigation'
import { useEffect, useState } from 'react'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { shownText } from '@/lib/format/hidden-characters'
import { assistantsQuery } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { PaletteGroup, PaletteItem } from './palette-item'
import type { ShellWorkspace } from './sidebar'

type AssistantGroupProps = { current: ShellWorkspace; search: string; go: (href: Route) => () => void }

/** Assistants by name, each to open and to run. */
export function AssistantGroup({ current, search, go }: AssistantGroupProps) {
  const { assistants, late } = useAssistants(current.slug, search)
  if (assistants.length + late.length === 0) return null
  return (
    <PaletteGroup heading="Assistants">
      {assistants.map(({ deploymentId, deploymentName, id, name }) => (
        <PaletteItem
          key={`${deploymentId} ${id}`}
          value={`assistant ${name} ${deploymentName} ${id}`}
          icon={<Bot />}
          onSelect={go(routes.assistant(current.slug, deploymentId, id))}
        >
          {name} <span className="text-ink-3">on {deploymentName}</span>
        </PaletteItem>
      ))}
      {isAtLeast(current.role, 'developer')
        ? assistants.map(({ deploymentId, deploymentName, id, name }) => (
            <PaletteItem
              key={`${deploymentId} ${id}`}
              value={`start a run of ${name} ${deploymentName} ${id}`}
              icon={<Play />}
              onSelect={go(routes.newRun(current.slug, deploymentId, { assistant: id }))}
            >
              Start a run of {name} <span className="text-ink-3">on {deploymentName}</span>
            </PaletteItem>
          ))
        : null}
      {late.length > 0 ? (
        <Command.Item
          disabled
          forceMount
          value="assistants not searched"
          className="flex h-8 items-center px-2 text-ink-3"
        >
          <span className="truncate">No answer from {late.join(', ')}</span>
        </Command.Item>
      ) : null}
    </PaletteGroup>
  )
}

const MIN_LENGTH = 2
const MAX_SERVERS = 4
const MAX_PER_SERVER = 4

/** Assistants by name, on the open deployment and a few others, and the names of those that do not answer. */
function useAssistants(workspace: string, search: string) {
  const { deploymentId } = useParams<{ deploymentId?: string }>()
  const isSearching = search.length >= MIN_LENGTH
  const { data } = useQuery({ ...deploymentsQuery(workspace, { limit: 8 }), enabled: isSearching })
  // One that never ran has no server to ask.
  const all = isSearching ? (data?.resources.filter(hasServer) ?? []) : []
  const servers = [...all.filter(({ id }) => id === deploymentId), ...all.filter(({ id }) => id !== deploymentId)]
  const searched = servers.slice(0, MAX_SERVERS)
  const found = useQueries({
    queries: searched.map(({ id }) => ({
      ...assistantsQuery(workspace, id, { name: search, limit: MAX_PER_SERVER }),
      retry: false,
    })),
  })
  const isLate = useIsLate(search)
  return {
    assistants: searched.flatMap(({ id: deploymentId, name: deploymentName }, index) =>
      (found[index]?.data ?? [])
        .slice(0, MAX_PER_SERVER)
        .map((one) => ({ deploymentId, deploymentName, id: one.assistant_id, name: one.name || one.graph_id })),
    ),
    late: searched.flatMap(({ name }, index) => {
      const { data, error } = found[index] ?? {}
      return data === undefined && (error ? error.code !== 'unsupported' : isLate) ? [shownText(name, 40)] : []
    }),
  }
}

const LATE_MS = 2_000

/** Whether this search began some time ago. */
function useIsLate(search: string): boolean {
  const [late, setLate] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setLate(search), LATE_MS)
    return () => clearTimeout(timer)
  }, [search])
  return late === search
}
