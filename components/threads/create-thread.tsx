'use client'
import { useRouter } from 'next/navigation'
import { type FormEvent, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { readTtl, TtlField } from '@/components/shared/form/ttl-field'
import { useSave } from '@/components/shared/form/use-save'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { jsonProblemText } from '@/components/shared/json/json-problem'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { toast } from '@/components/ui/toast'
import { createThread } from '@/lib/actions/threads'
import { newRequestKey } from '@/lib/format/format'
import { routes } from '@/lib/routes'

type Props = { workspace: string; deploymentId: string; onClose: () => void }
type Made = { thread: string; note?: string }

/** Creates an empty thread with metadata and an optional expiry. */
export function CreateThread({ workspace, deploymentId, onClose }: Props) {
  const router = useRouter()
  const [metadata, setMetadata] = useState('{}')
  const [minutes, setMinutes] = useState('')
  const key = useRef({ request: '', id: '' })
  const { isBusy, error, fieldError, save } = useSave<Made>()
  const problem = jsonProblemText(metadata)
  const { ttl, problem: badTtl } = readTtl(minutes)
  const said = problem ?? fieldError('metadata')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem || badTtl || isBusy) return
    const request = JSON.stringify([metadata, ttl])
    if (key.current.request !== request) key.current = { request, id: newRequestKey() }
    void save(
      () => createThread({ workspace, deploymentId, key: key.current.id, metadata, ttlMinutes: ttl }),
      ({ thread, note }) => {
        if (note) toast.warning(note)
        router.push(routes.thread(workspace, deploymentId, thread))
      },
    )
  }
  return (
    <Dialog
      open
      onOpenChange={() => isBusy || onClose()}
      title="New thread"
      description="Runs create threads automatically. Create one here to set metadata or a state first."
    >
      <form className="flex flex-col gap-3" onSubmit={submit}>
        <div className="flex flex-col gap-1">
          <p className="font-medium text-xs">Metadata</p>
          <JsonEditor
            label="Metadata as JSON"
            value={metadata}
            onChange={setMetadata}
            describedBy="new-thread-metadata"
            isInvalid={said !== undefined}
            minHeight={90}
          />
          <p id="new-thread-metadata" className={said ? 'text-error text-xs' : 'text-ink-3 text-xs'}>
            {said ?? 'A JSON object. Include graph_id to write a state before the first run.'}
          </p>
        </div>
        <TtlField
          id="new-thread-ttl"
          hint="Counted from the last change. Empty: never expires."
          value={minutes}
          onChange={setMinutes}
        />
        {error && !fieldError('metadata') ? <ErrorNotice error={error} /> : null}
        <div className="flex flex-wrap justify-end gap-2">
          <Button disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={problem !== undefined}>
            Create thread
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
