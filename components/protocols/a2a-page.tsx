'use client'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { EmptyState, NotOffered } from '@/components/shared/feedback/empty-state'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { useLocalParam } from '@/components/shared/layout/use-local-param'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/loading'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { apiQuery } from '@/lib/queries/api-query'
import { MOST_PICKABLE, nameOfAssistant, pickableAssistants } from '@/lib/queries/assistants'
import { AgentCardView } from './agent-card-view'
import { Endpoint, useUnsupportedReason } from './endpoint'
import { a2aSnippets } from './snippets'

const A2aConsole = dynamic(() => import('./a2a-console').then((module) => module.A2aConsole), {
  ssr: false,
  loading: () => <Skeleton className="h-64" />,
})

/** A deployment's assistants as A2A agents: their cards, and a console to talk to them. */
export function A2aPage({ place }: { place: DeploymentPlace }) {
  const { workspace, deploymentId } = place
  const missing = useUnsupportedReason(place, 'a2a')
  const [requested, setRequested] = useLocalParam('assistant')
  const assistants = useQuery(pickableAssistants(workspace, deploymentId))
  const retryList = useTryAgain(pickableAssistants(workspace, deploymentId).queryKey)
  const chosen = requested || assistants.data?.[0]?.assistant_id || ''
  const cardQuery = apiQuery(agentServer.getAgentCard, { workspace, deploymentId, query: { assistant_id: chosen } })
  const card = useQuery({ ...cardQuery, enabled: !missing && chosen !== '', staleTime: 60_000 })
  const retryCard = useTryAgain(cardQuery.queryKey)
  if (missing || card.error?.code === 'unsupported')
    return <NotOffered what="A2A" reason={missing ?? card.error?.message ?? ''} />
  if (assistants.error && !assistants.data) return <ErrorNotice error={assistants.error.view} onRetry={retryList} />
  if (!assistants.data) return <Skeleton className="h-64" />
  if (chosen === '')
    return (
      <div className="rounded-lg border bg-panel">
        <EmptyState title="No assistants">
          A deployment has one assistant per graph. Create one under Assistants.
        </EmptyState>
      </div>
    )
  const isListed = assistants.data.some((one) => one.assistant_id === chosen)
  const path = `/a2a/${encodeURIComponent(chosen)}`
  return (
    <div className="space-y-4">
      <Field
        id="a2a-assistant"
        label="Assistant"
        className="max-w-96"
        hint={assistants.data.length === MOST_PICKABLE ? `Showing the oldest ${MOST_PICKABLE}.` : undefined}
      >
        <Select
          id="a2a-assistant"
          aria-describedby="a2a-assistant-hint"
          value={chosen}
          onChange={({ target }) => setRequested(target.value)}
        >
          {isListed ? null : <option value={chosen}>{chosen}</option>}
          {assistants.data.map((one) => (
            <option key={one.assistant_id} value={one.assistant_id}>
              {nameOfAssistant(one)}
            </option>
          ))}
        </Select>
      </Field>
      <Endpoint place={place} path={path} snippets={(url) => a2aSnippets(url, `${url}/.well-known/agent-card.json`)} />
      {card.error && !card.data ? (
        <ErrorNotice error={card.error.view} onRetry={retryCard} />
      ) : card.data ? (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(20rem,2fr)_minmax(0,3fr)]">
          <AgentCardView key={chosen} card={card.data} />
          <A2aConsole key={`${chosen} console`} place={place} assistant={chosen} card={card.data} />
        </div>
      ) : (
        <Skeleton className="h-64" />
      )}
    </div>
  )
}
