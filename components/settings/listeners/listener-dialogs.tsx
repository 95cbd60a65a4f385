'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { toast } from '@/components/ui/toast'
import { deleteListener, renewListenerToken, revokeListenerToken } from '@/lib/actions/platform/listeners'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { ListenerRow } from '@/lib/contracts/deployments/listener-row'
import { invalidate } from '@/lib/queries/api-query'
import { CreateListener, EditNamespaces } from './listener-form'
import { ListenerSheet, type Task } from './listener-sheet'
import { type GivenToken, ListenerToken } from './listener-token'

type Props = {
  workspace: string
  /** Of the control plane, as the console reaches it. */
  platformUrl: string
  rows: readonly ListenerRow[] | undefined
  /** The id of the listener that the URL opens. */
  opened: string | null
  isCreating: boolean
  onCreated: () => void
  onClosed: () => void
}

/** The open listener, and what is being done with one. */
export function ListenerDialogs({ workspace, platformUrl, rows, opened, isCreating, onCreated, onClosed }: Props) {
  const client = useQueryClient()
  const [task, setTask] = useState<{ kind: Task; row: ListenerRow }>()
  const [given, setGiven] = useState<GivenToken>()
  const { kind, row } = task ?? {}
  const place = { workspace, id: row?.id ?? '' }
  const name = row?.name ?? ''
  const close = () => setTask(undefined)
  const readAgain = () => void invalidate(client, controlPlane.listListeners, workspace)
  const done = (said: string) => {
    toast.success(said)
    readAgain()
  }
  return (
    <>
      {opened ? (
        <ListenerSheet
          key={opened}
          workspace={workspace}
          id={opened}
          listed={rows?.find(({ id }) => id === opened)}
          onTask={(next, of) => setTask({ kind: next, row: of })}
          onClose={onClosed}
        />
      ) : null}
      {isCreating ? (
        <CreateListener
          workspace={workspace}
          platformUrl={platformUrl}
          onClose={onCreated}
          onCreated={(made) => {
            onCreated()
            setGiven(made)
            readAgain()
          }}
        />
      ) : null}
      {row && kind === 'namespaces' ? (
        <EditNamespaces
          workspace={workspace}
          row={row}
          onClose={close}
          onSaved={() => {
            close()
            done(`Namespaces of ${name} saved`)
          }}
        />
      ) : null}
      <ConfirmDialog
        open={kind === 'token'}
        onOpenChange={close}
        title={`Create a new token for ${name}?`}
        verb="Create token"
        action={async () => {
          const result = await renewListenerToken(place)
          if (result.ok && row) {
            const { token, url } = result.data
            setGiven({ id: row.id, name, namespaces: row.namespaces ?? [], token, url: url ?? platformUrl })
          }
          return result
        }}
        onDone={readAgain}
      >
        The former token stops working at once. The listener ends until it is started with the new one; its agents go
        on.
      </ConfirmDialog>
      <ConfirmDialog
        open={kind === 'revoke'}
        onOpenChange={close}
        title={`Revoke the token of ${name}?`}
        verb="Revoke token"
        action={() => revokeListenerToken(place)}
        onDone={() => done(`Revoked the token of ${name}`)}
      >
        The listener ends, and roll-outs wait. Its agents go on, but the platform cannot reach them through it. A new
        token lets it start again.
      </ConfirmDialog>
      <ConfirmDialog
        open={kind === 'delete'}
        onOpenChange={close}
        title={`Delete ${name}?`}
        verb="Delete listener"
        action={() => deleteListener(place)}
        onDone={() => {
          onClosed()
          done(`Deleted ${name}`)
        }}
      >
        The listener ends, and its cluster is no longer one of this control plane. Nothing in the cluster is changed.
      </ConfirmDialog>
      {given ? <ListenerToken given={given} onClose={() => setGiven(undefined)} /> : null}
    </>
  )
}
