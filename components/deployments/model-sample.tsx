'use client'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useRef } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSave } from '@/components/shared/form/use-save'
import { Panel } from '@/components/shared/layout/panel'
import { Button } from '@/components/ui/button'
import { createDeployment } from '@/lib/actions/deployments'
import type { ErrorView, Result } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { deploymentsQuery, inspectionQuery, integrationsQuery, repositoriesQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'

const NAME = 'assistant'
const CONFIG = 'assistant/graph.json'
const REPOSITORY = 'samples'
const MISSING =
  'The sample repository of this data folder has no assistant, because it is older. Copy platform/samples/assistant into it and commit.'

/** The sample repository with its integration. Platforms that run agents in a cluster have none. */
function useSamples(workspace: string, isWanted: boolean) {
  const { data: integrations = [] } = useQuery({ ...integrationsQuery(workspace), enabled: isWanted })
  const lists = useQueries({ queries: integrations.map(({ id }) => repositoriesQuery(workspace, id)) })
  return lists.flatMap(({ data = [] }, at) => {
    const samples = data.find(({ name }) => name === REPOSITORY)
    return samples ? [{ ...samples, integration: integrations[at]?.id ?? '' }] : []
  })[0]
}

/** Deploys the sample that talks through a real model. Shown while no deployment has its name. */
export function ModelSample({ workspace }: { workspace: string }) {
  const router = useRouter()
  const client = useQueryClient()
  const key = useRef(newRequestKey())
  const { isBusy, error, save } = useSave<{ deployment: string }>()
  const taken = useQuery(deploymentsQuery(workspace, { name: NAME, limit: 1 }))
  const isFree = taken.data?.resources.length === 0
  const samples = useSamples(workspace, isFree)
  if (!isFree || !samples) return null
  const { integration, url } = samples
  const ref = samples.default_branch ?? 'main'

  async function create(): Promise<Result<{ deployment: string }>> {
    const place = { repo_url: url, repo_ref: ref, graph_config_path: CONFIG }
    const isThere = await client.fetchQuery({ ...inspectionQuery(workspace, integration, place), retry: false }).then(
      () => true,
      () => false,
    )
    if (!isThere) return { ok: false, error: problem(MISSING) }
    const body = {
      name: NAME,
      source: 'github',
      source_config: { integration_id: integration, repo_url: url, deployment_type: 'dev', build_on_push: false },
      source_revision_config: { repo_ref: ref, graph_config_path: CONFIG },
      secrets: [],
    }
    return await createDeployment({ workspace, key: key.current, body: JSON.stringify(body) })
  }
  return (
    <Panel title="Talk to a real model">
      {error ? <ErrorNotice error={error} className="mb-2" /> : null}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-72 text-ink-2">
          A sample agent for OpenAI, compatible servers and Anthropic. It needs one secret: a key or a base URL.
        </p>
        <Button
          isBusy={isBusy}
          onClick={() =>
            void save(create, ({ deployment }) => {
              router.push(routes.deploymentSecrets(workspace, deployment))
            })
          }
        >
          Deploy the assistant
        </Button>
      </div>
    </Panel>
  )
}

const problem = (message: string): ErrorView => ({ code: 'not_found', message, fields: [], requestId: '' })
