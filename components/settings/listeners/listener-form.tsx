'use client'
import type { FormEvent } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { createListener, saveNamespaces } from '@/lib/actions/platform/listeners'
import type { ListenerRow } from '@/lib/contracts/deployments/listener-row'
import type { GivenToken } from './listener-token'

export const namespacesIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))]

type CreateProps = {
  workspace: string
  /** Of the control plane, as the console reaches it. */
  platformUrl: string
  onClose: () => void
  onCreated: (given: GivenToken) => void
}

export function CreateListener({ workspace, platformUrl, onClose, onCreated }: CreateProps) {
  const { isBusy, error, fieldError, save } = useSave<GivenToken>()
  const form = useFocusRefused(error)
  const nameError = fieldError('compute_id')
  async function create(data: FormData) {
    const name = String(data.get('name')).trim()
    const wanted = namespacesIn(String(data.get('namespaces')))
    const result = await createListener({ workspace, compute_id: name, namespaces: wanted })
    if (!result.ok) return result
    const { id, namespaces, given } = result.data
    const told = { id, name, namespaces, token: given?.token ?? null, url: given?.url ?? platformUrl }
    return { ok: true as const, data: told }
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    void save(() => create(data), onCreated)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Create listener"
      description="It joins a Kubernetes cluster to this control plane, and only opens connections itself."
    >
      <form ref={form} onSubmit={submit} className="flex flex-col gap-3">
        {error && !nameError && !namespacesError(fieldError) ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        <Field id="listener-name" label="Name" hint="Names the cluster. It cannot be changed." error={nameError}>
          <Input
            id="listener-name"
            name="name"
            required
            maxLength={100}
            autoComplete="off"
            {...describedBy('listener-name', nameError)}
          />
        </Field>
        <NamespacesField error={namespacesError(fieldError)} />
        <FormButtons verb="Create listener" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

type EditProps = { workspace: string; row: ListenerRow; onClose: () => void; onSaved: () => void }

export function EditNamespaces({ workspace, row: { id, name, namespaces }, onClose, onSaved }: EditProps) {
  const seen = namespaces ?? []
  const { isBusy, error, fieldError, save } = useSave<void>()
  const form = useFocusRefused(error)
  const fault = namespacesError(fieldError)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const given = namespacesIn(String(new FormData(event.currentTarget).get('namespaces')))
    void save(() => saveNamespaces({ workspace, id, namespaces: given, seen: [...seen] }), onSaved)
  }
  return (
    <Dialog open onOpenChange={onClose} title={`Namespaces of ${name}`}>
      <form ref={form} onSubmit={submit} className="flex flex-col gap-3">
        {error && !fault ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        <NamespacesField initial={seen.join(', ')} error={fault} />
        <p className="text-ink-2">The listener needs a role in each of them: change its chart’s namespaces too.</p>
        <FormButtons verb="Save namespaces" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** Refused by our schema, or by the control plane. */
const namespacesError = (fieldError: (path: string) => string | undefined) =>
  fieldError('namespaces') ?? fieldError('compute_config')

const NamespacesField = ({ initial, error }: { initial?: string; error: string | undefined }) => (
  <Field
    id="listener-namespaces"
    label="Namespaces"
    hint="Where its deployments may run, separated by commas. The first is used where a deployment names none."
    error={error}
  >
    <Input
      id="listener-namespaces"
      name="namespaces"
      defaultValue={initial}
      placeholder="default"
      autoComplete="off"
      {...describedBy('listener-namespaces', error)}
    />
  </Field>
)
