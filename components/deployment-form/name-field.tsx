'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useDebounced } from '@/components/shared/form/use-debounced'
import { nameAdvice, nameProblem } from '@/lib/contracts/deployments/deployment-rules'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import type { SectionProps } from './create-values'
import { TextField } from './text-field'

/** A name field. Checks the format at once, and whether the name is taken after a short delay. */
export function NameField({ workspace, values: { name }, issues, change }: SectionProps) {
  const debounced = useDebounced(name, 400)
  const isUsable = nameProblem(debounced) === undefined
  const named = useQuery({
    ...deploymentsQuery(workspace, { name: debounced, name_contains: debounced, limit: 100 }),
    enabled: isUsable,
    retry: false,
  })
  const other = debounced === name && isUsable ? named.data?.resources.find((one) => one.name === name) : undefined
  const error = other
    ? 'A deployment with this name already exists'
    : (issues.name ?? (name === '' ? undefined : nameProblem(name)))
  return (
    <TextField
      id="create-name"
      label="Name"
      className="sm:col-span-2"
      value={name}
      error={error}
      maxLength={300}
      hint={
        other ? (
          <Link className="font-medium text-accent underline" href={routes.deployment(workspace, other.id)}>
            Open deployment
          </Link>
        ) : (
          (name !== '' && !error && nameAdvice(name)) || 'Cannot be changed later.'
        )
      }
      onChange={(text) => change({ name: text })}
    />
  )
}
