'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronDown, FlaskConical, Pencil, Play } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useRouter, useSearchParams } from 'next/navigation'
import { lazy, useState } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { NothingHere } from '@/components/shared/feedback/nothing-here'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { usePageTitle } from '@/components/shared/layout/page-title'
import { useReasons } from '@/components/shared/layout/rights'
import { Figure, SectionHeader } from '@/components/shared/layout/section-header'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { IdChip } from '@/components/shared/text/id-chip'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import { Tabs } from '@/components/ui/tabs'
import type { AssistantChange } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { assistantQuery } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { isDefault } from './assistant-columns'
import { AssistantDetails } from './assistant-details'
import { experimentOf } from './versions'
import { VersionsTab } from './versions-tab'

const SchemasTab = dynamic(() => import('./schemas-tab').then((module) => module.SchemasTab), {
  ssr: false,
  loading: () => <Skeleton className="h-64" />,
})
const GraphTab = dynamic(() => import('./graph-tab').then((module) => module.GraphTab), {
  ssr: false,
  loading: () => <Skeleton className="h-64" />,
})
const DeleteAssistant = dynamic(() => import('./delete-assistant').then((module) => module.DeleteAssistant), {
  ssr: false,
})
const loadMenu = () => import('./assistant-menu').then(({ AssistantMenu }) => ({ default: AssistantMenu }))
const AssistantMenu = lazy(loadMenu)

type Props = AssistantPlace & { changes: readonly AssistantChange[] }

/** One assistant: its settings, its version history and its graph's schemas. */
export function AssistantPage({ changes, ...place }: Props) {
  const { workspace, deploymentId, assistant } = place
  const setSearch = useSetSearch({ isLocal: true })
  const tab = useSearchParams().get('tab') ?? 'details'
  const query = useQuery(assistantQuery(workspace, deploymentId, assistant))
  const retry = useTryAgain(assistantQuery(workspace, deploymentId, assistant).queryKey)
  const error = query.error ?? query.failureReason
  const one = query.data
  usePageTitle(one && (one.name || one.graph_id))
  // Servers reject a malformed id instead of responding with "not found".
  if (!one && (error?.code === 'not_found' || error?.code === 'invalid')) return <NothingHere />
  if (!one && error) return <ErrorNotice error={error.view} onRetry={retry} />
  return (
    <>
      {error ? <StaleNotice {...error.view} at={query.dataUpdatedAt} onRetry={retry} /> : null}
      <Head place={place} assistant={one} />
      <Tabs
        label="Assistant sections"
        value={tab}
        onValueChange={(value) => setSearch({ tab: value === 'details' ? '' : value })}
        tabs={[
          { value: 'details', label: 'Details' },
          { value: 'versions', label: 'Versions' },
          { value: 'schemas', label: 'Schemas' },
          { value: 'graph', label: 'Graph' },
        ]}
      >
        {!one ? (
          <Skeleton className="h-64" />
        ) : tab === 'versions' ? (
          <VersionsTab place={place} assistant={one} changes={changes} />
        ) : tab === 'schemas' ? (
          <SchemasTab {...place} />
        ) : tab === 'graph' ? (
          <GraphTab {...place} />
        ) : (
          <AssistantDetails assistant={one} />
        )}
      </Tabs>
    </>
  )
}

function Head({ place, assistant: one }: { place: AssistantPlace; assistant: Assistant | undefined }) {
  const { workspace, deploymentId, assistant } = place
  const router = useRouter()
  const whyNot = useReasons().run
  const [isDeleting, setDeleting] = useState(false)
  const name = one ? one.name || one.graph_id : ''
  const trigger = (
    <Button aria-label="More">
      More
      <ChevronDown aria-hidden />
    </Button>
  )
  return (
    <>
      <SectionHeader
        title={one ? <VisibleText>{name}</VisibleText> : <Skeleton className="w-48" />}
        meta={
          one ? (
            <>
              {isDefault(one) ? <Badge title="Created by the server for each graph">default</Badge> : null}
              <Figure label="Graph">
                <code className="font-mono">{one.graph_id}</code>
              </Figure>
              <Figure label="Active version">{one.version ?? 'unknown'}</Figure>
              <IdChip id={one.assistant_id} what="assistant id" className="text-ink-2" />
            </>
          ) : null
        }
        actions={
          <>
            {whyNot ? (
              <>
                <Button reason={whyNot}>
                  <Pencil aria-hidden />
                  Edit
                </Button>
                <Button reason={whyNot}>
                  <Play aria-hidden />
                  Run this assistant
                </Button>
              </>
            ) : (
              <>
                <Button asChild>
                  <Link href={routes.editAssistant(workspace, deploymentId, assistant)}>
                    <Pencil aria-hidden />
                    Edit
                  </Link>
                </Button>
                <Button asChild>
                  <Link href={routes.newRun(workspace, deploymentId, { assistant })}>
                    <Play aria-hidden />
                    Run this assistant
                  </Link>
                </Button>
                {one ? (
                  <Button asChild>
                    <Link href={experimentOf(place, one)}>
                      <FlaskConical aria-hidden />
                      Experiment
                    </Link>
                  </Button>
                ) : null}
              </>
            )}
            <MenuOnDemand trigger={trigger} load={loadMenu}>
              <AssistantMenu
                trigger={trigger}
                place={place}
                whyNoDelete={
                  whyNot ?? (one && isDefault(one) ? 'The default assistant of a graph cannot be deleted.' : undefined)
                }
                onDelete={() => setDeleting(true)}
              />
            </MenuOnDemand>
          </>
        }
      >
        {one?.description ? (
          <p className="max-w-3xl text-ink-2 text-xs">
            <VisibleText>{one.description}</VisibleText>
          </p>
        ) : null}
      </SectionHeader>
      {isDeleting && one ? (
        <DeleteAssistant
          place={place}
          name={name}
          onClose={() => setDeleting(false)}
          onDone={() => router.push(routes.assistants(workspace, deploymentId))}
        />
      ) : null}
    </>
  )
}
