'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useEffect, useState } from 'react'
import { nameAdvice, nameProblem } from '@/lib/contracts/deployments/deployment-rules'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import type { SectionProps } from './create-values'
import { TextField } from './text-field'

/** A name, checked while it is typed: its form at once, and whether there is one so after a moment. */
export function NameField({ workspace, values: { name }, issues, change }: SectionProps) {
  const settled = useSettled(name, 400)
  const isUsable = nameProblem(settled) === undefined
  const named = useQuery({
    ...deploymentsQuery(workspace, { name: settled, name_contains: settled, limit: 100 }),
    enabled: isUsable,
    retry: false,
  })
  const other = settled === name && isUsable ? named.data?.resources.find((one) => one.name === name) : undefined
  const error = other
    ? 'There is a deployment of this name already'
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
            Open it
          </Link>
        ) : (
          (name !== '' && !error && nameAdvice(name)) || 'It cannot be changed later.'
        )
      }
      onChange={(text) => change({ name: text })}
    />
  )
}

/** A value once it has stayed the same for a while. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(setSettled, ms, value)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
