'use client'
import { Trash2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { addDirectServer, removeDirectServer, testAgentServer } from '@/lib/actions/workspaces'
import { describeServer, ServerFound } from './server-found'
import { TestConnection } from './test-connection'
import { NOT_ALLOWED, type ServerShown } from './types'

/** `reason`: why they cannot be changed. */
type DirectServersProps = { workspace: string; servers: ServerShown[]; reason: string | undefined; mayTest: boolean }

/** The address and key of the form. */
function addressOf(form: FormData) {
  const apiKey = String(form.get('apiKey')).trim()
  return { url: String(form.get('url')), ...(apiKey && { apiKey }) }
}

/** The agent servers of a workspace without a control plane. Each one appears as a deployment. */
export function DirectServers({ workspace, servers, reason, mayTest }: DirectServersProps) {
  const router = useRouter()
  const [removing, setRemoving] = useState<ServerShown>()
  const { isBusy, error, fieldError, save } = useSave<{ id: string }>()
  const element = useFocusRefused(error)

  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const sent = event.currentTarget
    const form = new FormData(sent)
    void save(
      () => addDirectServer(workspace, { name: String(form.get('name')), ...addressOf(form) }),
      () => {
        sent.reset()
        router.refresh()
      },
    )
  }
  return (
    <section className="rounded-lg border bg-panel p-4">
      <h2 className="mb-3 font-semibold text-base">Agent servers</h2>
      {servers.length > 0 ? (
        <ul className="mb-4 divide-y rounded-md border">
          {servers.map((server) => (
            <li key={server.id} className="flex items-center gap-2 px-3 py-2">
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{server.name}</span>
                <code className="block truncate font-mono text-ink-2 text-xs">{server.url}</code>
                <ServerFound workspace={workspace} deploymentId={server.id} />
              </span>
              {server.hasKey ? <Badge>key set</Badge> : null}
              <Button
                variant="ghost"
                size="icon"
                reason={reason}
                aria-label={`Remove ${server.name}`}
                onClick={() => setRemoving(server)}
              >
                <Trash2 />
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="mb-4 text-ink-2">No servers yet. Each server you add appears under Deployments.</p>
      )}
      <form ref={element} onSubmit={add} className="flex flex-col gap-3">
        {error ? <ErrorNotice error={{ ...error, fields: [] }} /> : null}
        <Field id="server-name" label="Name" error={fieldError('name')}>
          <Input
            id="server-name"
            name="name"
            required
            autoComplete="off"
            {...describedBy('server-name', fieldError('name'))}
          />
        </Field>
        <Field id="server-url" label="URL" error={fieldError('url')}>
          <Input
            id="server-url"
            name="url"
            type="url"
            required
            placeholder="http://127.0.0.1:8123"
            autoComplete="off"
            {...describedBy('server-url', fieldError('url'))}
          />
        </Field>
        <Field
          id="server-key"
          label="API key"
          hint="Only if the server requires one. Stored encrypted and sent only to this URL."
          error={fieldError('apiKey')}
        >
          <Input
            id="server-key"
            name="apiKey"
            type="password"
            autoComplete="off"
            {...describedBy('server-key', fieldError('apiKey'))}
          />
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" isBusy={isBusy} reason={reason}>
            Add server
          </Button>
          <TestConnection
            reason={mayTest ? undefined : NOT_ALLOWED}
            test={(form) => testAgentServer(workspace, addressOf(form))}
            say={(found) => `Connection works. ${describeServer(found)}`}
          />
        </div>
      </form>
      <ConfirmDialog
        open={removing !== undefined}
        onOpenChange={() => setRemoving(undefined)}
        title={`Remove ${removing?.name ?? ''}?`}
        verb="Remove server"
        action={() => removeDirectServer(workspace, removing?.id ?? '')}
        onDone={() => router.refresh()}
      >
        Its URL and key are removed from this console. The server itself is not changed.
      </ConfirmDialog>
    </section>
  )
}
