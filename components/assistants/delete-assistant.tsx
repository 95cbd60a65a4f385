'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { Checkbox } from '@/components/ui/checkbox'
import { toast } from '@/components/ui/toast'
import { deleteAssistant } from '@/lib/actions/assistants'
import { agentServer } from '@/lib/contracts/agent-server'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { count, newRequestKey } from '@/lib/format/format'
import { apiQuery, invalidate } from '@/lib/queries/api-query'

type Props = { place: AssistantPlace; name: string; onClose: () => void; onDone: () => void }

/** Confirms deleting an assistant with all its versions, and optionally its threads. */
export function DeleteAssistant({ place, name, onClose, onDone }: Props) {
  const { workspace, deploymentId, assistant } = place
  const client = useQueryClient()
  const [key] = useState(newRequestKey)
  const [deletesThreads, setDeletesThreads] = useState(false)
  const threads = useQuery({
    ...apiQuery(agentServer.countThreads, { workspace, deploymentId, body: { metadata: { assistant_id: assistant } } }),
    retry: false,
  })
  const number = threads.data === undefined ? 'its' : threads.data === 1 ? 'its 1' : `its ${count(threads.data)}`
  return (
    <ConfirmDialog
      open
      title={`Delete “${name}”?`}
      verb={deletesThreads ? 'Delete assistant and threads' : 'Delete assistant'}
      onOpenChange={onClose}
      action={() => deleteAssistant({ place, key: `${key}${deletesThreads ? '-t' : ''}`, deletesThreads })}
      onDone={() => {
        toast.success(`Deleted “${name}”`)
        void invalidate(client, agentServer.searchAssistants, workspace)
        void invalidate(client, agentServer.countAssistants, workspace)
        onDone()
      }}
    >
      All its versions are deleted. Crons and programs that use it will fail. This cannot be undone.
      <Checkbox
        className="mt-3"
        label={`Delete ${number} ${threads.data === 1 ? 'thread' : 'threads'} as well`}
        hint="Deletes their states, runs and histories. Otherwise they are kept."
        checked={deletesThreads}
        onChange={(event) => setDeletesThreads(event.target.checked)}
      />
    </ConfirmDialog>
  )
}
