'use client'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused } from '@/components/shared/form/use-focus-refused'
import { useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select, Textarea } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { createWorkspace, updateWorkspace } from '@/lib/actions/workspaces'
import { routes } from '@/lib/routes'
import { toChange, toNewWorkspace } from './to-workspace'
import type { WorkspaceShown } from './types'

/** Adds a workspace, or changes `workspace`. Keys are write-only: an empty field keeps what is stored. */
export function WorkspaceDialog({ workspace, onClose }: { workspace?: WorkspaceShown; onClose: () => void }) {
  const router = useRouter()
  const [kind, setKind] = useState<'control-plane' | 'direct'>(
    workspace?.kind === 'direct' ? 'direct' : 'control-plane',
  )
  const { isBusy, error, fieldError, save } = useSave<{ slug?: string; hasDroppedKeys?: boolean }>()
  const element = useFocusRefused(error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void save(
      () => (workspace ? updateWorkspace(workspace.slug, toChange(form)) : createWorkspace(toNewWorkspace(form, kind))),
      ({ slug, hasDroppedKeys }) => {
        onClose()
        if (hasDroppedKeys)
          toast.warning(
            'The address moved to another origin, so the stored keys were dropped. Enter the keys for the new one.',
          )
        else toast.success(workspace ? 'The workspace is changed.' : 'The workspace is added.')
        if (slug) router.push(routes.settings(slug))
        router.refresh()
      },
    )
  }
  const text = (
    name: string,
    label: string,
    more: { value?: string; hint?: string; type?: string; required?: boolean } = {},
  ) => (
    <Field id={`ws-${name}`} label={label} hint={more.hint} error={fieldError(name)}>
      <Input
        id={`ws-${name}`}
        name={name}
        type={more.type ?? 'text'}
        defaultValue={more.value}
        required={more.required}
        autoComplete="off"
        {...describedBy(`ws-${name}`, fieldError(name))}
      />
    </Field>
  )
  const kept =
    workspace?.hasKey || workspace?.hasAgentKey
      ? 'Entering any key replaces all of them; leave all empty to keep them.'
      : undefined

  return (
    <Dialog open onOpenChange={onClose} title={workspace ? `Change ${workspace.name}` : 'Add a workspace'}>
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        {workspace ? null : (
          <>
            <Field id="ws-kind" label="Kind">
              <Select id="ws-kind" value={kind} onChange={(event) => setKind(event.target.value as typeof kind)}>
                <option value="control-plane">Control plane</option>
                <option value="direct">Agent servers without a control plane</option>
              </Select>
            </Field>
            {text('slug', 'URL name', {
              hint: 'Lower-case letters, digits and hyphens: the first part of its addresses here.',
              required: true,
            })}
          </>
        )}
        {text('name', 'Name', { value: workspace?.name, required: true })}
        {kind === 'control-plane' ? (
          <>
            {text('baseUrl', 'Address of the control plane', {
              value: workspace?.baseUrl ?? '',
              type: 'url',
              required: true,
            })}
            {text('keys.apiKey', 'API key', {
              type: 'password',
              hint: kept ?? 'Sealed here, and sent to this address only.',
            })}
            {text('keys.tenantId', 'Tenant id')}
            {text('keys.bearer', 'Bearer token', { type: 'password' })}
            {text('keys.agentApiKey', 'Key for agent servers', {
              type: 'password',
              hint: 'Where it differs from the API key.',
            })}
          </>
        ) : null}
        {text('traces.url', 'Tracing address', {
          value: workspace?.tracesUrl ?? '',
          type: 'url',
          hint: 'The API that its deployments log their runs to, where it is not the control plane’s. Empty: no traces here.',
        })}
        {text('traces.apiKey', 'Key for traces', {
          type: 'password',
          hint: workspace?.hasTracesKey
            ? 'Leave it empty to keep the one that is stored.'
            : 'One that may read. Sealed here, and sent to the tracing address only.',
        })}
        {text('traces.tenantId', 'Tenant id for traces', { hint: 'Where the key is of several; goes with a new key.' })}
        <Field
          id="ws-dialect"
          label="Dialect"
          hint="How field names are spelt on the wire; auto learns it from the first record."
        >
          <Select id="ws-dialect" name="dialect" defaultValue={workspace?.dialect ?? 'auto'}>
            <option value="auto">auto</option>
            <option value="graph">graph</option>
            <option value="langgraph">langgraph</option>
          </Select>
        </Field>
        <Field id="ws-secret-names" label="Names of secrets" hint="Their values are shown to nobody.">
          <Select id="ws-secret-names" name="secretNames" defaultValue={workspace?.secretNames ?? 'members'}>
            <option value="members">every member sees them</option>
            <option value="admins">administrators only</option>
          </Select>
        </Field>
        <Field
          id="ws-origins"
          label="Allowed origins"
          hint="One a line: where agent servers may be reached and get the key, besides the address above."
          error={fieldError('allowedOrigins')}
        >
          <Textarea
            id="ws-origins"
            name="allowedOrigins"
            className="min-h-14 font-mono text-xs"
            defaultValue={workspace?.allowedOrigins.join('\n')}
            {...describedBy('ws-origins', fieldError('allowedOrigins'))}
          />
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Do nothing</Button>
          <Button type="submit" variant="primary" isBusy={isBusy}>
            {workspace ? 'Save changes' : 'Add workspace'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
