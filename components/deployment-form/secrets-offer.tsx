'use client'
import { Button } from '@/components/ui/button'
import { secretNameProblem } from '@/lib/contracts/deployments/deployment-rules'
import type { CreateValues } from './create-values'
import { useInspection } from './use-inspection'

type SecretsOfferProps = {
  workspace: string
  values: CreateValues
  /** Names that the form already has. */
  names: readonly string[]
  onAdd: (file: string, variables: readonly { name: string; is_optional: boolean }[]) => void
}

/** Offers the variables of the repository's example env file. Absent where the control plane cannot read repositories. */
export function SecretsOffer({ workspace, values, names, onAdd }: SecretsOfferProps) {
  const { source } = values
  const file = useInspection(workspace, values).data?.env_example
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
