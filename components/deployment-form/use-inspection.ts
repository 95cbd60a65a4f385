import { useQuery } from '@tanstack/react-query'
import { useDebounced } from '@/components/shared/form/use-debounced'
import { inspectionQuery } from '@/lib/queries/deployments'
import type { CreateValues } from './create-values'

/**
 * What the typed repository says about itself. Nothing while fields are empty or being typed; an error of the code
 * `unsupported` or `not_found` where the control plane cannot read repositories.
 */
export function useInspection(workspace: string, values: CreateValues) {
  const { source, integration } = values
  const [repository, ref, configPath] = [values.repository, values.ref, values.configPath].map((text) => text.trim())
  const typed = JSON.stringify([integration, repository, ref, configPath])
  // Each request makes the control plane fetch the repository, so it waits for the end of typing.
  const isTyping = useDebounced(typed, 700) !== typed
  const isReady = source === 'github' && Boolean(integration && repository && ref && configPath)
  const { data, error, isFetching } = useQuery({
    ...inspectionQuery(workspace, integration, {
      repo_url: repository ?? '',
      repo_ref: ref ?? '',
      graph_config_path: configPath ?? '',
    }),
    enabled: isReady && !isTyping,
    retry: false,
    staleTime: 60_000,
  })
  const isAsked = isReady && !isTyping
  return { data: isReady ? data : undefined, error: isAsked ? error : null, isReading: isAsked && isFetching }
}
