'use client'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { createToken } from '@/lib/actions/api-tokens'
import { MAX_TOKEN_DEPLOYMENTS, TOKEN_DAYS, type TokenDays } from '@/lib/contracts/api-token'
import { isAtLeast, ROLES, type Role } from '@/lib/contracts/wire/api'
import { deploymentsQuery } from '@/lib/queries/deployments'
import type { MadeToken } from './new-token'

type Props = { workspace: string; role: Role; onClose: () => void; onMade: (token: MadeToken) => void }

export function TokenDialog({ workspace, role, onClose, onMade }: Props) {
  const { isBusy, error, fieldError, save } = useSave<{ token: string }>()
  const element = useFocusRefused(error)
  const [isLimited, setLimited] = useState(false)
  const [chosen, setChosen] = useState<string[]>([])
  const isAdmin = isAtLeast(role, 'admin')

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const name = String(form.get('name'))
    void save(
      () =>
        createToken({
          workspace,
          name,
          kind: form.get('kind') === 'service' ? 'service' : 'personal',
          role: form.get('role') as Role, // the options are the roles
          deployments: isLimited ? chosen : null,
          days: Number(form.get('days')) as TokenDays, // the options are these numbers
        }),
      ({ token }) => onMade({ name, token }),
    )
  }
  return (
    <Dialog open onOpenChange={onClose} title="Create token">
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        <Field id="token-name" label="Name" hint="The audit trail shows it." error={fieldError('name')}>
          <Input
            id="token-name"
            name="name"
            required
            maxLength={60}
            autoComplete="off"
            {...describedBy('token-name', fieldError('name'))}
          />
        </Field>
        <Field
          id="token-kind"
          label="Belongs to"
          hint={isAdmin ? 'A personal token ends with your membership.' : 'Administrators create service accounts.'}
        >
          <Select
            id="token-kind"
            name="kind"
            defaultValue="personal"
            disabled={!isAdmin}
            {...describedBy('token-kind')}
          >
            <option value="personal">Me</option>
            <option value="service">A service account</option>
          </Select>
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field id="token-role" label="Role">
            <Select id="token-role" name="role" defaultValue="viewer">
              {ROLES.filter((one) => isAtLeast(role, one)).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </Select>
          </Field>
          <Field id="token-days" label="Expires">
            <Select id="token-days" name="days" defaultValue="90">
              {TOKEN_DAYS.map((days) => (
                <option key={days} value={days}>
                  in {days} days
                </option>
              ))}
            </Select>
          </Field>
        </div>
        <Checkbox
          label="Only for some deployments"
          hint="The token then sees no others, and cannot create any."
          checked={isLimited}
          onChange={(event) => setLimited(event.target.checked)}
        />
        {isLimited ? <Deployments workspace={workspace} chosen={chosen} onChange={setChosen} /> : null}
        {fieldError('deployments') ? (
          <p role="alert" className="text-error text-xs">
            {fieldError('deployments')}
          </p>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Create token
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type DeploymentsProps = { workspace: string; chosen: string[]; onChange: (chosen: string[]) => void }

/** A list to choose from, searched on the server. Chosen deployments stay listed whatever the search. */
function Deployments({ workspace, chosen, onChange }: DeploymentsProps) {
  const [search, setSearch] = useState('')
  const [names, setNames] = useState<Record<string, string>>({})
  const { data, error } = useQuery(
    deploymentsQuery(workspace, { limit: 50, ...(search && { name_contains: search.trim() }) }),
  )
  const found = (data?.resources ?? []).filter(({ id }) => !chosen.includes(id))
  const toggle = (id: string, name: string) => {
    setNames({ ...names, [id]: name })
    onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  }
  return (
    <fieldset className="rounded-md border p-3">
      <legend className="px-1 font-medium text-xs">
        Deployments ({chosen.length} of at most {MAX_TOKEN_DEPLOYMENTS})
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
          <Checkbox key={id} label={names[id] ?? id} checked onChange={() => toggle(id, names[id] ?? id)} />
        ))}
        {found.map(({ id, name }) => (
          <Checkbox key={id} label={name} checked={false} onChange={() => toggle(id, name)} />
        ))}
        {data || error ? null : <p className="text-ink-3 text-xs">Loading…</p>}
        {data && found.length + chosen.length === 0 ? <p className="text-ink-3 text-xs">No matches</p> : null}
      </div>
    </fieldset>
  )
}
