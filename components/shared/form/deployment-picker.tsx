'use client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Checkbox } from '@/components/ui/checkbox'
import { Input } from '@/components/ui/input'
import { deploymentsQuery } from '@/lib/queries/deployments'

type DeploymentPickerProps = {
  workspace: string
  chosen: readonly string[]
  most: number
  /** Names of those that are chosen from the start. */
  names?: Record<string, string>
  /** Stands beside a chosen deployment. */
  aside?: (id: string, name: string) => ReactNode
  onChange: (chosen: string[]) => void
}

/** A list to choose from, searched on the server. Chosen deployments stay listed whatever the search. */
export function DeploymentPicker({ workspace, chosen, most, names = {}, aside, onChange }: DeploymentPickerProps) {
  const [search, setSearch] = useState('')
  const [seen, setSeen] = useState<Record<string, string>>({})
  const { data, error } = useQuery(
    deploymentsQuery(workspace, { limit: 50, ...(search && { name_contains: search.trim() }) }),
  )
  const found = (data?.resources ?? []).filter(({ id }) => !chosen.includes(id))
  const nameOf = (id: string) => seen[id] ?? names[id] ?? data?.resources.find((one) => one.id === id)?.name ?? id
  const toggle = (id: string, name: string) => {
    setSeen({ ...seen, [id]: name })
    onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  }
  return (
    <fieldset className="rounded-md border p-3">
      <legend className="px-1 font-medium text-xs">
        Deployments ({chosen.length} of at most {most})
      </legend>
      <Input
        aria-label="Search deployments"
        placeholder="Search by name"
        value={search}
        autoComplete="off"
        onChange={(event) => setSearch(event.target.value)}
      />
      <div className="mt-2 flex max-h-40 flex-col gap-1 overflow-y-auto">
        {error && !data ? <ErrorNotice error={error.view} /> : null}
        {chosen.map((id) => (
          <div key={id} className="flex items-center justify-between gap-2">
            <Checkbox
              className="min-w-0 [overflow-wrap:anywhere]"
              label={nameOf(id)}
              checked
              onChange={() => toggle(id, nameOf(id))}
            />
            {aside?.(id, nameOf(id))}
          </div>
        ))}
        {found.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={false}
            disabled={chosen.length >= most}
            onChange={() => toggle(id, name)}
          />
        ))}
        {data || error ? null : <p className="text-ink-3 text-xs">Loading…</p>}
        {data && found.length + chosen.length === 0 ? <p className="text-ink-3 text-xs">No matches</p> : null}
      </div>
    </fieldset>
  )
}
