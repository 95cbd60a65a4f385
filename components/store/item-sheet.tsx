'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { JsonTree } from '@/components/shared/json/json-tree'
import { useReasons } from '@/components/shared/layout/rights'
import { Figure } from '@/components/shared/layout/section-header'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Dialog } from '@/components/ui/dialog'
import { Skeleton } from '@/components/ui/loading'
import { deleteItem } from '@/lib/actions/store'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { invalidate } from '@/lib/queries/api-query'
import { itemQuery } from '@/lib/queries/store'
import { ItemForm } from './item-form'
import { namespaceText } from './store-place'

type Props = {
  place: DeploymentPlace
  namespace: readonly string[]
  /** The open item; absent to create one. */
  itemKey?: string
  onOpen: (namespace: readonly string[], key: string) => void
  onClose: () => void
}

/** One item: its value and the actions on it. */
export function ItemSheet({ place, namespace, itemKey, onOpen, onClose }: Props) {
  const refresh = useRefresh(place)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      side="right"
      className="w-[min(44rem,100vw)]"
      title={itemKey === undefined ? 'New item' : 'Item'}
    >
      {itemKey === undefined ? (
        <ItemForm
          place={place}
          namespace={namespace}
          onClose={onClose}
          onSaved={(into, key) => {
            refresh()
            onOpen(into, key)
          }}
        />
      ) : (
        <OneItem place={place} namespace={namespace} itemKey={itemKey} onClose={onClose} />
      )}
    </Dialog>
  )
}

function OneItem({ place, namespace, itemKey: key, onClose }: Omit<Props, 'onOpen'> & { itemKey: string }) {
  const { workspace, deploymentId } = place
  const query = itemQuery(workspace, deploymentId, namespace, key)
  const { data, error, isPending } = useQuery(query)
  const retry = useTryAgain(query.queryKey)
  const refresh = useRefresh(place)
  const reason = useReasons().run
  const [task, setTask] = useState<'edit' | 'delete'>()
  if (error && error.code !== 'not_found') return <ErrorNotice error={error.view} onRetry={retry} />
  if (isPending && !error) return <Skeleton className="h-40 w-full" />
  if (!data) return <EmptyState title="No such item">It was deleted or has expired.</EmptyState>
  if (task === 'edit')
    return (
      <ItemForm
        place={place}
        item={data}
        namespace={namespace}
        onClose={() => setTask(undefined)}
        onSaved={() => {
          refresh()
          setTask(undefined)
        }}
      />
    )
  return (
    <div className="flex h-full flex-col gap-3">
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex items-center gap-1 break-all font-medium font-mono">
            <VisibleText>{key}</VisibleText>
            <CopyButton value={key} what="key" />
          </p>
          <p className="break-all text-ink-2 text-xs">
            <VisibleText>{namespaceText(namespace)}</VisibleText>
          </p>
        </div>
        <Button reason={reason} onClick={() => setTask('edit')}>
          <Pencil aria-hidden />
          Edit
        </Button>
        <Button variant="danger" reason={reason} onClick={() => setTask('delete')}>
          <Trash2 aria-hidden />
          Delete
        </Button>
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        <Figure label="Created">
          <RelativeTime at={data.created_at} />
        </Figure>
        <Figure label="Changed">
          <RelativeTime at={data.updated_at} />
        </Figure>
      </div>
      <div className="min-h-72 flex-1 overflow-hidden rounded-lg border">
        <JsonTree value={data.value} label="Value" className="h-full" />
      </div>
      <ConfirmDialog
        open={task === 'delete'}
        onOpenChange={(isOpen) => setTask(isOpen ? 'delete' : undefined)}
        title="Delete this item?"
        verb="Delete item"
        action={() => deleteItem({ ...place, namespace: [...namespace], key })}
        onDone={() => {
          refresh()
          onClose()
        }}
      >
        Deletes {key} in {namespaceText(namespace)}. The agent may create it again.
      </ConfirmDialog>
    </div>
  )
}

function useRefresh({ workspace }: DeploymentPlace): () => void {
  const client = useQueryClient()
  return () => {
    for (const op of [agentServer.searchItems, agentServer.listNamespaces, agentServer.getItem])
      void invalidate(client, op, workspace)
  }
}
