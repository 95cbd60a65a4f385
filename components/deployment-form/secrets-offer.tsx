'use client'
import { useQuery } from '@tanstack/react-query'
import { useDebounced } from '@/components/shared/form/use-debounced'
import { Button } from '@/components/ui/button'
import { secretNameProblem } from '@/lib/contracts/deployments/deployment-rules'
import { inspectionQuery } from '@/lib/queries/deployments'
import type { CreateValues } from './create-values'

type SecretsOfferProps = {
  workspace: string
  values: CreateValues
  /** Names that the form already has. */
  names: readonly string[]
  onAdd: (file: string, variables: readonly { name: string; is_optional: boolean }[]) => void
}

/** Offers the variables of the repository's example env file. Absent where the control plane cannot read repositories. */
export function SecretsOffer({ workspace, values, names, onAdd }: SecretsOfferProps) {
  const { source, integration } = values
  const [repository, ref, configPath] = [values.repository, values.ref, values.configPath].map((text) => text.trim())
  const typed = JSON.stringify([integration, repository, ref, configPath])
  // Each request makes the control plane fetch the repository, so it waits for the end of typing.
  const isTyping = useDebounced(typed, 700) !== typed
  const isReady = source === 'github' && Boolean(integration && repository && ref && configPath)
  const { data } = useQuery({
    ...inspectionQuery(workspace, integration, {
      repo_url: repository ?? '',
      repo_ref: ref ?? '',
      graph_config_path: configPath ?? '',
    }),
    enabled: isReady && !isTyping,
    retry: false,
    staleTime: 60_000,
  })
  const file = isReady ? data?.env_example : undefined
  const missing = file?.variables.filter(
    ({ name }) => !names.includes(name) && secretNameProblem(name, source) === undefined,
  )
  if (!file || !missing?.length) return null
  const required = missing.filter((one) => !one.is_optional).length
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border bg-sunken px-3 py-2">
      <p className="min-w-0 flex-1 basis-64 text-ink-2 text-xs">
        <code className="font-mono text-ink">{file.path}</code> in the repository lists {missing.length}{' '}
        {missing.length === 1 ? 'variable' : 'variables'}
        {required < missing.length ? `, ${missing.length - required} of them optional` : ''}:{' '}
        <span className="break-words font-mono">{missing.map(({ name }) => name).join(', ')}</span>
      </p>
      <Button size="sm" onClick={() => onAdd(file.path, missing)}>
        Add {missing.length === 1 ? 'it' : `all ${missing.length}`} as {missing.length === 1 ? 'a secret' : 'secrets'}
      </Button>
    </div>
  )
}
