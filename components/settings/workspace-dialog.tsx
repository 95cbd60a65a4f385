'use client'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input, Select, Textarea } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { createWorkspace, testControlPlane, updateWorkspace } from '@/lib/actions/workspaces'
import { routes } from '@/lib/routes'
import { describeControlPlane } from './server-found'
import { TestConnection } from './test-connection'
import { toChange, toDraft, toNewWorkspace } from './to-workspace'
import type { WorkspaceShown } from './types'

/** Adds a workspace, or edits `workspace`. Keys are write-only: an empty field keeps the stored key. */
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
            'The new address has a different origin, so the stored keys were removed. Enter the keys for it.',
          )
        else toast.success(workspace ? 'Workspace saved' : 'Workspace added')
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
      ? 'Leave all keys empty to keep the stored ones. Entering one replaces all of them.'
      : undefined

  return (
    <Dialog open onOpenChange={onClose} title={workspace ? `Edit ${workspace.name}` : 'Add workspace'}>
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
            {text('slug', 'Slug', {
              hint: 'Lowercase letters, digits and hyphens. Used in the URL of its pages.',
              required: true,
            })}
          </>
        )}
        {text('name', 'Name', { value: workspace?.name, required: true })}
        {kind === 'control-plane' ? (
          <>
            {text('baseUrl', 'Control plane URL', {
              value: workspace?.baseUrl ?? '',
              type: 'url',
              required: true,
            })}
            {text('keys.apiKey', 'API key', {
              type: 'password',
              hint: kept ?? 'Stored encrypted and sent only to this URL.',
            })}
            {text('keys.tenantId', 'Tenant ID')}
            {text('keys.bearer', 'Bearer token', { type: 'password' })}
            {text('keys.agentApiKey', 'Agent server key', {
              type: 'password',
              hint: 'Only if it differs from the API key.',
            })}
          </>
        ) : null}
        {text('traces.url', 'Tracing URL', {
          value: workspace?.tracesUrl ?? '',
          type: 'url',
          hint: 'The API that deployments send traces to, if it is not the control plane. Leave empty to turn traces off.',
        })}
        {text('traces.apiKey', 'Tracing API key', {
          type: 'password',
          hint: workspace?.hasTracesKey
            ? 'Leave empty to keep the stored key.'
            : 'Needs read access. Stored encrypted and sent only to the tracing URL.',
        })}
        {text('traces.tenantId', 'Tracing tenant ID', {
          hint: 'Required if the key has access to several tenants. Saved together with a new key.',
        })}
        <Field
          id="ws-dialect"
          label="Dialect"
          hint="How the API spells field names. “auto” detects it from the first response."
        >
          <Select id="ws-dialect" name="dialect" defaultValue={workspace?.dialect ?? 'auto'}>
            <option value="auto">auto</option>
            <option value="graph">graph</option>
            <option value="langgraph">langgraph</option>
          </Select>
        </Field>
        <Field
          id="ws-secret-names"
          label="Secret names"
          hint="Who can see the names of secrets. Values are never shown."
        >
          <Select id="ws-secret-names" name="secretNames" defaultValue={workspace?.secretNames ?? 'members'}>
            <option value="members">All members</option>
            <option value="admins">Administrators only</option>
          </Select>
        </Field>
        <Field
          id="ws-origins"
          label="Allowed origins"
          hint="One per line. Other origins where agent servers may be called with the key."
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
          {kind === 'control-plane' ? (
            <TestConnection
              test={(form) => testControlPlane(toDraft(form, workspace?.slug))}
              say={describeControlPlane}
            />
          ) : null}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={isBusy}>
            {workspace ? 'Save changes' : 'Add workspace'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
